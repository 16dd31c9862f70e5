import Base
package import Contract
package import JSON

/// A scenario that sends recorded requests again: the same bytes, at the same intervals. It is written request by request
/// between an opening and a closing.
package enum RequestScenario {
  package static let contentType: StaticString = "application/json"
  package static let closing: [UInt8] = Array("\n]}\n".utf8)
  package static let separator: [UInt8] = Array(",\n".utf8)

  /// `target` writes the members of the section of that name; without it the server is specified when the scenario is run.
  package static func opening(
    name: String, description: String, target: ((inout JSONWriter) -> Void)? = nil
  ) -> [UInt8] {
    var writer = JSONWriter(capacity: 512)
    writer.beginObject()
    writer.key("version")
    writer.value(1)
    writer.text("name", escaped(name))
    writer.text("description", escaped(description))
    if let target {
      writer.key("target")
      writer.beginObject()
      target(&writer)
      writer.endObject()
    }
    writer.key("requests")
    writer.beginArray()
    return writer.bytes + [UInt8(ascii: "\n")]
  }

  /// Fields that frame the message, or name the host, are replaced by those of the connection that sends it again.
  private static let framing = [
    HeaderName.host, HeaderName.contentLength, HeaderName.transferEncoding, HeaderName.connection, HeaderName.expect,
  ]

  /// Escapes `${`, which begins a variable everywhere in a scenario, as `$${`.
  package static func escaped(_ text: String) -> String {
    text.replacing("${", with: "$${")
  }

  /// `at` is in milliseconds since the first request. A field for which there is a variable takes its value from it.
  package static func append(
    at: Int64, device: String, method: String, path: String, headers: [NameValuePair], body: [UInt8], status: Int,
    variable: (NameValuePair) -> String? = { _ in nil }, to bytes: inout [UInt8]
  ) {
    var writer = JSONWriter(capacity: 512 + body.count)
    writer.beginObject()
    writer.text("at", "\(at)ms")
    if !device.isEmpty { writer.text("device", escaped(device)) }
    writer.text("method", escaped(method))
    writer.text("path", escaped(path))
    var fields: [(name: String, value: String)] = []
    for header in headers where !framing.contains(where: { header.hasName($0) }) && header.value != "(secret)" {
      // RFC 9110 §5.3: fields with the same name form one list.
      if let index = fields.firstIndex(where: { $0.name.lowercased() == header.name.lowercased() }) {
        fields[index].value += ", " + header.value
      } else {
        fields.append((header.name, header.value))
      }
    }
    writer.key("headers")
    writer.beginObject()
    for field in fields {
      let variable = variable(NameValuePair(field.name, field.value))
      writer.text(field.name, variable.map { "${\($0)}" } ?? escaped(field.value))
    }
    writer.endObject()
    if let text = String(validating: body, as: UTF8.self), !text.contains("\0") {
      if !body.isEmpty { writer.text("body", escaped(text)) }
    } else {
      writer.text("bodyBase64", Base64.text(body))
    }
    if (100...599).contains(status) {
      writer.key("status")
      writer.value(status)
    }
    writer.endObject()
    bytes += writer.bytes
  }
}
