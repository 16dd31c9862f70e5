/// A media type such as `application/json; charset=utf-8` (RFC 9110 §8.3.1), names in lower case, values as they came.
package struct MediaType: Sendable, Equatable {
  /// `type/subtype`.
  package let essence: String
  package let parameters: [Parameter]

  /// One `name=value` behind the type.
  package struct Parameter: Sendable, Equatable {
    package let name: String
    package let value: String
  }

  /// Value of the first parameter with this name, which is written in lower case.
  package func parameter(_ name: String) -> String? { parameters.first { $0.name == name }?.value }

  /// Reads the value of a Content-Type field. Errors count from the start of `bytes`.
  package init(parsing bytes: Span<UInt8>) throws(HTTPError) {
    var scanner = ParameterScanner(bytes.count)
    let type = try scanner.token(bytes)
    try scanner.require(.slash, bytes)
    let subtype = try scanner.token(bytes)
    essence = type.lowercased() + "/" + subtype.lowercased()
    parameters = try scanner.parameters(bytes)
  }
}
