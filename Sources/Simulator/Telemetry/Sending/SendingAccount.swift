import Base

/// Points or spans to be sent to a receiver.
struct TelemetryBatch: Sendable {
  let url: String
  let body: [UInt8]
  /// The number of metric samples.
  var points = 0
  var spans = 0
}

/// The outcome of all shipments to a receiver.
package struct SendingAccount: Equatable, Sendable {
  package var points = Parts()
  package var spans = Parts()
  /// The number of repeated requests.
  package var retries = 0
  /// The reasons for failed deliveries, with their counts; beyond the first few they are combined.
  package private(set) var reasons: [String: Int] = [:]

  /// The numbers by outcome.
  package struct Parts: Equatable, Sendable {
    package var delivered = 0
    package var dropped = 0
    /// Rejected by the receiver, which accepted the rest of their request.
    package var rejected = 0

    var lost: Int { dropped + rejected }
  }

  private static let reasonsMax = 8

  mutating func deliver(_ shipment: TelemetryBatch, rejected: Int64, message: String) {
    let (rejectedSpans, rejectedPoints) =
      shipment.spans > 0 ? (min(Int(rejected), shipment.spans), 0) : (0, min(Int(rejected), shipment.points))
    points.delivered += shipment.points - rejectedPoints
    points.rejected += rejectedPoints
    spans.delivered += shipment.spans - rejectedSpans
    spans.rejected += rejectedSpans
    if rejected > 0 || !message.isEmpty {
      note("the receiver \(rejected > 0 ? "rejected some" : "warned")" + (message.isEmpty ? "" : ": \(message)"))
    }
  }

  mutating func drop(_ shipment: TelemetryBatch, because reason: String) {
    points.dropped += shipment.points
    spans.dropped += shipment.spans
    note(reason)
  }

  private mutating func note(_ reason: String) {
    let isKnown = reasons[reason] != nil || reasons.count < SendingAccount.reasonsMax
    reasons[isKnown ? reason : "other reasons", default: 0] += 1
  }

  /// `1234 data points and 56 spans`.
  private static func words(_ points: Int, _ spans: Int) -> String {
    let parts = [points > 0 ? points.of("data point") : nil, spans > 0 ? spans.of("span") : nil].compactMap { $0 }
    return parts.isEmpty ? "nothing" : parts.joined(separator: " and ")
  }

  /// Returns a sentence about what was delivered.
  package func deliverySentence(to receiver: String) -> String {
    "\(SendingAccount.words(points.delivered, spans.delivered)) sent to \(receiver)"
  }

  /// Returns a sentence about what was not delivered, and why; nil if everything was.
  package func lossSentence(to receiver: String) -> String? {
    guard !reasons.isEmpty else { return nil }
    let causes = reasons.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { reason, count in
      count == 1 ? reason : "\(reason) (\(count) times)"
    }
    let lost = SendingAccount.words(points.lost, spans.lost)
    let what = points.lost + spans.lost > 0 ? "\(lost) not delivered" : "all delivered, with a warning"
    return "\(receiver): \(what): \(causes.joined(separator: "; "))"
  }
}
