import Contract
import IngestServer
import Scenario

extension RunSetup {
  /// Appends the parts of a fault that cannot be simulated.
  static func judge(_ fault: Fault, of scenario: Scenario, _ problems: inout [String]) {
    let place = "fault '\(fault.name)'"
    problems += fault.action.problems(in: scenario).map { "\(place): \($0)" }
    if case .remote(let remote) = fault.action {
      let most = ServerConfiguration().bodyBytesMax
      let longest = Administration.orders(remote.commands, to: "").map(\.body.utf8.count).max() ?? 0
      if longest > most {
        problems.append("\(place): its commands have \(longest) bytes, and a server takes \(most); write shorter ones")
      }
    }
    // The server decides which headers are valid.
    guard case .http(let http) = fault.action else { return }
    for header in http.abort?.headers ?? [] {
      guard let problem = ServerFault.problem(of: NameValuePair(header.name, header.value)) else { continue }
      problems.append("\(place): the header '\(header.name)' must be \(problem)")
    }
  }

  /// Appends the parts of the target that cannot be simulated.
  static func judge(_ target: Target, _ problems: inout [String]) {
    if target.connections.policy == .pooled {
      problems.append("target.connections.policy pooled: in virtual time each device has connections of its own")
    }
    let authorization = target.authorization
    guard authorization.strategy == .jwt, authorization.identity == nil else { return }
    let known = [
      ("tokenUrl", authorization.tokenURL, ["/api/register", "/v2/register", "/api/jwt/register"]),
      ("refreshUrl", authorization.refreshURL, ["/api/refresh_token", "/v2/refresh_token"]),
    ]
    for (key, path, paths) in known where !paths.contains(path) {
      problems.append("target.auth.\(key): unknown path '\(path)'; known: \(paths.joined(separator: ", "))")
    }
  }
}
