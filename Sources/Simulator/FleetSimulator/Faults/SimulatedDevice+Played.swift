import Contract
import Host
import IngestServer
import Scenario
import Upload

/// Faults of the server in front of one that takes none: the network of the simulator answers in its place, and the request
/// does not get there.
extension SimulatedDevice {
  mutating func playedAnswer(to request: OutgoingRequest, _ exchange: Exchange, in site: Site) -> RequestOutcome? {
    guard site.playsFaults else { return nil }
    switch spoilage(of: exchange, in: site) {
    case .status(let status, _)?: return .answered(status: status, reason: "", body: [])
    case .portal?: return .answered(status: 200, reason: "OK", body: Array("<html>log in!</html>".utf8))
    default: break
    }
    guard let withdrawn = withdrawnTokens, withdrawn.isShown(by: request) else { return nil }
    return .answered(status: 401, reason: "", body: [])
  }

  /// The tokens that the device has are good no more.
  mutating func withdrawTokens(refreshToo: Bool) {
    let authorization = host.configuration.authorization
    withdrawnTokens = WithdrawnTokens(
      access: authorization.accessToken,
      refresh: refreshToo ? authorization.refreshToken : withdrawnTokens?.refresh)
  }
}

/// Tokens that a fault has made worthless.
final class WithdrawnTokens {
  let access: String?
  let refresh: String?

  init(access: String?, refresh: String?) { (self.access, self.refresh) = (access, refresh) }

  func isShown(by request: OutgoingRequest) -> Bool {
    switch request.purpose {
    case .records, .log:
      guard let access else { return false }
      return request.headers.contains { $0.name == "Authorization" && $0.value.hasSuffix(access) }
    case .refresh:
      guard let refresh else { return false }
      return request.body.firstRange(of: Array(refresh.utf8)) != nil
    }
  }
}

extension Fault {
  /// The simulator's network can play it in front of any server.
  var isPlayable: Bool {
    switch action {
    case .http(let http): http.delay == nil && (http.answer.map { $0.kind == .portal } ?? true)
    case .authorization: true
    case .network, .toxic, .storage, .device, .lifecycle, .remote: false
    }
  }
}

extension RunSetup {
  /// Faults of the server at a target that takes none.
  package var playsFaults: Bool { outside.map { !$0.isOurs } ?? false && faults.contains(where: \.isServers) }
}
