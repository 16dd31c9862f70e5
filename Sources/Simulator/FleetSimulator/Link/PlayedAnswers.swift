import Base
import Contract
import Host
import IngestServer
import Scenario
import Upload

/// What the server is to do badly.
extension DeviceLink {
  /// With one request that has arrived; of several faults the first that meets it counts.
  func serverFault(of exchange: LinkExchange, under faults: FaultTimeline, in run: RunContext) -> ServerFault? {
    for spell in faults.running {
      let fault = run.faults.faults[spell.fault]
      switch fault.action {
      case .http(let http):
        // Three draws for each request.
        var draws = FaultDraw.request.stream(
          fault.name, seed: run.setup.seed, device: key, n: 4 * (exchange.request & 0xFFFF_FFFF))
        if let met = http.meets(exchange, &draws) { return met }
      case .authorization(let authorization):
        if let status = authorization.refreshStatus, exchange.purpose == .refresh { return .status(status, []) }
      case .network, .toxic, .tls, .storage, .device, .lifecycle, .remote: break
      }
    }
    return nil
  }
}

extension ServerFault {
  /// The server has stored the records all the same.
  var isAfterCommit: Bool {
    switch self {
    case .delay, .cut, .drop, .delayAfterCommit, .dribble, .malformed, .wrongLength, .empty, .replace: true
    case .refuse, .reset, .status, .portal, .redirect, .pretend, .prefix, .certificate, .cutHandshake, .slowHandshake:
      false
    }
  }
}

extension HTTPFault {
  /// The first of abort, answer and delay that meets the request.
  fileprivate func meets(_ exchange: LinkExchange, _ draws: inout RandomStream) -> ServerFault? {
    let chances = (draws.uniform() * 100, draws.uniform() * 100, draws.uniform() * 100)
    if let abort, chances.0 < abort.percentage, exchange.satisfies(abort.condition) {
      return abort.serverFault
    }
    if let answer, chances.1 < answer.percentage, exchange.satisfies(answer.condition) {
      return answer.kind.serverFault
    }
    if let delay, chances.2 < delay.percentage, exchange.satisfies(delay.condition) {
      return delay.serverFault
    }
    return nil
  }
}

extension HTTPAbort {
  var serverFault: ServerFault { .status(status, headers.map { NameValuePair($0.name, $0.value) }, body: body) }
}

extension HTTPDelay {
  var serverFault: ServerFault {
    let milliseconds = fixedDelay.wholeMilliseconds
    return .delay(milliseconds...milliseconds)
  }
}

extension LinkExchange {
  fileprivate func satisfies(_ condition: Condition?) -> Bool {
    guard let condition else { return true }
    switch condition.subject {
    case .requestBytes: return condition.holds(Double(bodyBytes))
    case .requestRecords: return condition.holds(Double(records))
    // The language refuses them here.
    case .responseStatus, .responseBytes, .responseDuration: return false
    }
  }

  private var records: Int {
    guard purpose == .records else { return 0 }
    var envelope = Envelope()
    do throws(EnvelopeError) { try EnvelopeReader().read(body.span, into: &envelope) } catch { return 0 }
    return envelope.records.count
  }
}

extension AnswerFault {
  var serverFault: ServerFault {
    switch self {
    case .portal: .portal
    case .redirect: .redirect(status: 302, location: "http://portal.example/login")
    case .empty: .empty
    case .malformed: .malformed
    case .drop: .drop
    case .pretend: .pretend
    case .half: .cut(bytes: 40)
    case .tooLong: .wrongLength(by: 10)
    case .tooShort: .wrongLength(by: -10)
    case .reset: .reset
    case .dribble: .dribble(bytes: 16, every: 1_000)
    case .late: .delayAfterCommit(90_000...90_000)
    }
  }
}

/// Faults of the server in front of one that takes none: the network of the simulator answers in its place, and the request
/// does not get there.
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

  /// These tokens are good no more.
  mutating func withdraw(_ authorization: AuthorizationSettings, refreshToo: Bool) {
    withdrawnTokens = WithdrawnTokens(
      access: authorization.accessToken,
      refresh: refreshToo ? authorization.refreshToken : withdrawnTokens?.refresh)
  }
}

/// Requests that the simulator's network has answered in the server's place.
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

  /// Nil when there were none.
  var sentence: String? {
    guard uploads + tokenRequests > 0 else { return nil }
    return
      "the simulator's network has answered \(uploads.of("upload")) and \(tokenRequests.of("token request")) in the target's place: metrics such as auth_refreshes count them, and the target has not seen them"
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
      return request.headers.contains { $0.isNamed(HeaderName.authorization) && $0.value.hasSuffix(access) }
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
    case .network, .toxic, .tls, .storage, .device, .lifecycle, .remote: false
    }
  }
}

extension RunSetup {
  /// Faults of the server at a target that takes none.
  package var playsFaults: Bool {
    outside.map { !$0.isOurs } ?? false && (isSteerable || faults.contains(where: \.action.isServers))
  }
}
