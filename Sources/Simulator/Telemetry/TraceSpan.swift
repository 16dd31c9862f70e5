import Base
import FleetSimulator

/// A span in the trace of a record.
struct TraceSpan {
  /// With the numbers of OTLP.
  enum Kind: UInt32 {
    case inside = 1
    case server = 2
    case client = 3
  }

  let trace: UUID128
  let id: UInt64
  /// Nil: the root span.
  let parent: UInt64?
  let name: String
  var kind = Kind.inside
  let start: MonotonicInstant
  let end: MonotonicInstant
  var attributes: [(name: String, value: AttributeValue)] = []
  /// A span in the trace of another record in the same request.
  var link: (trace: UUID128, span: UInt64)?
  /// The error message.
  var error: String?
}

/// Spans as an `ExportTraceServiceRequest`: opentelemetry/proto/trace/v1.
struct OTLPTraces {
  let resource: TelemetryResource
  let clock: TelemetryClock

  private static let failed: UInt32 = 2

  func request<Writer: MessageWriter>(_ spans: [TraceSpan], by writer: inout Writer) -> [UInt8] {
    writer.resource(resource, MessageField(1, "resourceSpans"), scopes: MessageField(2, "scopeSpans")) { writer in
      writer.messages(MessageField(2, "spans"), spans) { write($0, into: &$1) }
    }
    return writer.finish()
  }

  private func write<Writer: MessageWriter>(_ span: TraceSpan, into writer: inout Writer) {
    writer.identity(MessageField(1, "traceId"), [span.trace.high, span.trace.low])
    writer.identity(MessageField(2, "spanId"), [span.id])
    if let parent = span.parent { writer.identity(MessageField(4, "parentSpanId"), [parent]) }
    writer.text(MessageField(5, "name"), span.name)
    writer.small(MessageField(6, "kind"), span.kind.rawValue)
    writer.fixed(MessageField(7, "startTimeUnixNano"), clock.unixNanoseconds(at: span.start))
    writer.fixed(MessageField(8, "endTimeUnixNano"), clock.unixNanoseconds(at: span.end))
    writer.attributes(MessageField(9, "attributes"), span.attributes)
    if let link = span.link {
      writer.messages(MessageField(13, "links"), [link]) { link, writer in
        writer.identity(MessageField(1, "traceId"), [link.trace.high, link.trace.low])
        writer.identity(MessageField(2, "spanId"), [link.span])
      }
    }
    if let error = span.error {
      writer.message(MessageField(15, "status")) { writer in
        writer.text(MessageField(2, "message"), error)
        writer.small(MessageField(3, "code"), OTLPTraces.failed)
      }
    }
  }
}
