import Base
import Contract
import Host
import IngestServer
import Oracle
import Scenario
import Upload

/// Server faults in front of a server that cannot inject them: the simulator's network answers in its place, and the request
/// does not reach it.
extension DeviceLink {
  func playedAnswer(
    to request: OutgoingRequest, _ exchange: LinkExchange, under faults: FaultTimeline, in run: RunContext
  ) -> RequestOutcome? {
    guard run.playsFaults else { return nil }
    switch serverFault(of: exchange, under: faults, in: run) {
    case .status(let status, _, let body)?:
      return .answered(status: status, reason: "", body: Array((body ?? "").utf8))
    case .portal?: return .answered(status: 200, reason: "OK", body: Array("<html>log in!</html>".utf8))
    default: break
    }
    guard let withdrawn = withdrawnTokens, withdrawn.isShown(by: request) else { return nil }
    return .answered(status: 401, reason: "", body: [])
  }

  /// Invalidates these tokens.
  mutating func withdraw(_ authorization: AuthorizationSettings, refreshToo: Bool) {
    withdrawnTokens = WithdrawnTokens(
      access: authorization.accessToken,
      refresh: refreshToo ? authorization.refreshToken : withdrawnTokens?.refresh)
  }
}

/// The number of requests that the simulator's network has answered in the server's place.
struct PlayedAnswers: Equatable {
  private var uploads = 0
  private var tokenRequests = 0

  mutating func count(_ purpose: OutgoingRequest.Purpose) {
    switch purpose {
    case .records: uploads += 1
    case .refresh: tokenRequests += 1
    case .log: break
    }
  }

  /// Nil without such requests.
  var sentence: String? {
    guard uploads + tokenRequests > 0 else { return nil }
    return
      "the simulator's network has answered \(uploads.of("upload")) and \(tokenRequests.of("token request")) in the target's place: metrics such as auth_refreshes count them, and the target has not seen them"
  }
}

/// Tokens that a fault has invalidated.
final class WithdrawnTokens {
  let access: String?
  let refresh: String?

  init(access: String?, refresh: String?) { (self.access, self.refresh) = (access, refresh) }

  func isShown(by request: OutgoingRequest) -> Bool {
    switch request.purpose {
    case .records, .log:
      guard let access else { return false }
      return request.shows(accessToken: access)
    case .refresh:
      guard let refresh else { return false }
      let body = request.body
      return body.span.contains(refresh)
    }
  }
}

extension RunSetup {
  /// Whether server faults are simulated at a target that cannot inject them.
  package var playsFaults: Bool {
    outside.map { !$0.isOurs } ?? false && (isSteerable || faults.contains(where: \.action.isServers))
  }
}
