package import Base
package import Contract
package import CurlTransport
import Threads
package import Upload

/// A blocking HTTP client for queries outside the run's own traffic. After two timeouts in a row it sends no further
/// queries. An optional limit for all queries together is extended by progress.
package final class BlockingHTTPClient {
  private let transport: DrivenTransport
  private let now: () -> MonotonicInstant
  private var asked: UInt64 = 0
  private var silences = 0
  private var end: MonotonicInstant?
  /// The header lines of the last answer, unmodified.
  private(set) var head: [UInt8] = []
  /// An interruption during the queries ends them. An earlier one does not: the queries then complete the report of the
  /// interrupted run.
  private let interruption: Interruption?
  private var wasInterrupted = false

  package static let answerBytesMax = 1 << 30
  private static let silencesMax = 2
  private static let lookInterval = Nanoseconds.milliseconds(100)
  private static let ended = RequestOutcome.failed(.cancelled, message: "the queries were ended by a signal")
  package static let secondsPerQuestion: Int64 = 10

  package init(
    _ configuration: TransportConfiguration, keepsHeads: Bool = false,
    answerBytesMax: Int = BlockingHTTPClient.answerBytesMax, interruption: Interruption? = nil,
    now: @escaping () -> MonotonicInstant = { SystemClock().monotonicNow }
  ) throws(TransportError) {
    (self.now, self.interruption) = (now, interruption)
    var configuration = configuration
    configuration.answerLimit = answerBytesMax
    configuration.sourceAddresses = []
    configuration.keepsHeads = keepsHeads
    transport = try DrivenTransport(configuration)
  }

  /// Limits the total time of all queries from now on; further calls have no effect.
  func limit(to span: Nanoseconds) { if end == nil { end = now() + span } }

  /// Extends the limit after an answer with new data: a slow server with much to send counts as responsive.
  func extendLimit(by span: Nanoseconds) { end = end.map { $0 + span } }

  /// Waits, which extends the limit. False when a signal ends the wait.
  func wait(seconds: Int) -> Bool {
    let end = SystemClock().monotonicNow + .seconds(Int64(seconds))
    extendLimit(by: .seconds(Int64(seconds)))
    while SystemClock().monotonicNow < end {
      if isEnded { return false }
      _ = Semaphore().wait(milliseconds: Int(BlockingHTTPClient.lookInterval.wholeMilliseconds))
    }
    return true
  }

  private var isEnded: Bool { !wasInterrupted && interruption?.isRequested ?? false }

  /// Sends a request and waits for the answer.
  package func ask(
    _ url: String, by method: String = "GET", headers: [NameValuePair] = [], body: [UInt8] = [],
    seconds: Int64 = BlockingHTTPClient.secondsPerQuestion
  ) -> RequestOutcome {
    if asked == 0 { wasInterrupted = interruption?.isRequested ?? false }
    guard !isEnded else { return BlockingHTTPClient.ended }
    guard silences < BlockingHTTPClient.silencesMax else {
      return .failed(.timeout, message: "no answer to \(silences) queries in a row; no further queries are sent")
    }
    let left = end.map { ($0 - now()).wholeMilliseconds } ?? seconds * 1_000
    guard left > 0 else {
      return .failed(.timeout, message: "the queries exceeded their time limit: the server answers, and too slowly")
    }
    asked += 1
    let request = OutgoingRequest(
      id: asked, purpose: .records, method: method, url: url, headers: headers, body: body,
      timeout: .milliseconds(min(left, seconds * 1_000)))
    transport.submit(request, device: 0)
    while true {
      let look = interruption.map { _ in SystemClock().monotonicNow + BlockingHTTPClient.lookInterval }
      guard let end = transport.turn(until: look).first else {
        if isEnded { return BlockingHTTPClient.ended }
        continue
      }
      head = end.head
      if case .failed(.timeout, _) = end.outcome { silences += 1 } else { silences = 0 }
      return end.outcome
    }
  }
}

extension RequestOutcome {
  /// Why a query was not answered with 200; nil when it was.
  var refusal: String? {
    switch self {
    case .answered(status: 200, reason: _, body: _): nil
    case .answered(let status, reason: _, body: _): "status \(status)"
    case .failed(_, let message): message
    }
  }

  /// The server requires credentials.
  var wantsToken: Bool { status == 401 || status == 403 }
}
