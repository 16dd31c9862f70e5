import Contract
import IngestServer
import Scenario

extension RunSetup {
  /// What of a fault cannot be simulated.
  static func judge(_ fault: Fault, of scenario: Scenario, _ problems: inout [String]) {
    let place = "fault '\(fault.name)'"
    switch fault.action {
    case .network(let name):
      if case .changing? = scenario.network(named: name) {
        problems.append("\(place): the network '\(name)' is variable; name a fixed network")
      }
    case .toxic(let toxic):
      if let phase = toxic.phase, !toxic.effect.hasPhase {
        problems.append(
          "\(place): the phase \(phase.rawValue) is for latency, timeout and reset_peer; for others say which stream")
      }
    case .tls(let tls):
      if tls.delay != nil, tls.problem != .slow {
        problems.append("\(place): only a slow handshake has a delay; remove it")
      }
      if tls.problem == .changedKey, scenario.target.security.pinnedKey == nil {
        problems.append(
          "\(place): only an app that pins the server's key notices another one; add target: { tls: { pinnedKey: \"sha256//…\" } }"
        )
      }
    case .http(let http):
      for header in http.abort?.headers ?? [] where !ServerFault.isField(NameValuePair(header.name, header.value)) {
        problems.append("\(place): the header '\(header.name)' is reserved or not a header")
      }
    case .authorization(let authorization):
      if authorization.rotateKeys, scenario.target.authorization.identity == nil {
        problems.append(
          "\(place): keys are rotated by an identity provider; add target: { auth: { identity: \"own\" } }")
      }
      if scenario.target.authorization.strategy != .jwt {
        problems.append("\(place): there are no tokens; add target: { auth: { strategy: \"jwt\" } }")
      }
    case .storage, .device, .lifecycle, .remote: break
    }
  }

  /// What of the target cannot be simulated.
  static func judge(_ target: Target, _ problems: inout [String]) {
    if target.connections.policy == .pooled {
      problems.append("target.connections.policy pooled: in virtual time each device has connections of its own")
    }
    let authorization = target.authorization
    if authorization.strategy == .sas {
      problems.append("target.auth.strategy sas: the built-in server supports only jwt")
    }
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

extension ToxicEffect {
  fileprivate var hasPhase: Bool {
    switch self {
    case .latency, .timeout, .resetPeer: true
    case .bandwidth, .slowClose, .slicer, .limitData: false
    }
  }
}
