import Contract
package import JSON

extension ServerFault {
  /// As PUT /admin/v1/faults takes it. Durations are text with their unit, so that a list can be put back as it came.
  package func append(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("kind", kind.rawValue)
    switch self {
    case .refuse(let status): writer.member("status", status)
    case .status(let status, let fields):
      writer.member("status", status)
      guard !fields.isEmpty else { break }
      writer.key("headers")
      writer.beginObject()
      for field in fields {
        writer.key(field.name)
        writer.value(field.value)
      }
      writer.endObject()
    case .delay(let range), .delayAfterCommit(let range):
      writer.member("from", "\(range.lowerBound)ms")
      writer.member("to", "\(range.upperBound)ms")
    case .redirect(let status, let location):
      writer.member("status", status)
      writer.member("location", location)
    case .prefix(let records): writer.member("records", records)
    case .cut(let bytes): writer.member("bytes", bytes)
    case .dribble(let bytes, let pause):
      writer.member("bytes", bytes)
      writer.member("every", "\(pause)ms")
    case .wrongLength(let difference): writer.member("by", difference)
    case .reset, .portal, .pretend, .drop, .malformed, .empty: break
    }
    writer.endObject()
  }
}
