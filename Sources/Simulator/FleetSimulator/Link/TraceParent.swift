package import Base
import Contract
package import Upload

/// The header `traceparent` of W3C Trace Context, §3.2, by which an upload names its trace to a server. The trace id of a
/// record is its uuid; the span ids derive from it and from the request.
package struct TraceParent: Equatable, Sendable {
  package let trace: UUID128
  /// The span of the attempt.
  package let span: UInt64
  package let isSampled: Bool

  /// A request can name one trace, that of its first record. Nil without records.
  package init?(of request: OutgoingRequest, isSampled: Bool) {
    guard request.purpose == .records, let first = request.payload?.uuids.first else { return nil }
    trace = first
    span = RecordSpan.attempt(request: request.id).id(in: first)
    self.isSampled = isSampled
  }

  package static let header = "traceparent"

  /// `00-` trace `-` span `-` flags.
  package var value: String {
    let words = [trace.high, trace.low, span].map { $0.zeroPadded(to: 16, radix: 16) }
    return "00-\(words[0])\(words[1])-\(words[2])-\(isSampled ? "01" : "00")"
  }

  /// The length of the whole header line, always the same.
  fileprivate static let lineBytes = header.utf8.count + 2 + 55 + 2
}

/// The spans of a record's trace.
package enum RecordSpan {
  /// From the fix until the record has left its device.
  case record
  /// From the fix until the first attempt.
  case queued
  case attempt(request: UInt64)
  /// The server's work in an attempt.
  case commit(request: UInt64)

  /// Returns the span id; never 0, which is invalid.
  package func id(in trace: UUID128) -> UInt64 {
    let number: UInt64 =
      switch self {
      case .record: 1
      case .queued: 2
      case .attempt(let request): request << 2 | 3
      case .commit(let request): request << 2
      }
    return max(1, SplitMix64.mix(trace.low ^ SplitMix64.mix(trace.high ^ SplitMix64.mix(number))))
  }
}

extension OutgoingRequest {
  /// Adds the header, except to requests without records or with a header of that name.
  func traced(isSampled: Bool) -> OutgoingRequest {
    guard let parent = TraceParent(of: self, isSampled: isSampled),
      !headers.contains(where: { $0.hasName(TraceParent.header) })
    else { return self }
    return OutgoingRequest(
      id: id, purpose: purpose, method: method, url: url,
      headers: headers + [NameValuePair(TraceParent.header, parent.value)], body: body, timeout: timeout,
      payload: payload,
      occasion: occasion)
  }

  /// The bytes of its head that modelled links do not count, so that tracing does not change a run.
  var traceBytes: Int {
    guard let last = headers.last, last.name == TraceParent.header,
      let own = TraceParent(of: self, isSampled: last.value.hasSuffix("1")), own.value == last.value
    else { return 0 }
    return TraceParent.lineBytes
  }
}
