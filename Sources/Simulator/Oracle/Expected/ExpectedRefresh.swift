import Base
import Contract
import JSON
import Upload

/// The form of a request for new tokens according to the configuration (HttpConfig "Payload composition", `headers`;
/// SDK §11.2).
struct ExpectedRefresh {
  private let authorization: AuthorizationSettings
  private let url: String
  private let uploadHeaders: [NameValuePair]

  /// Nil where the configuration has no url for it.
  init?(_ configuration: Configuration) {
    authorization = configuration.authorization
    guard let url = authorization.refreshUrl else { return nil }
    self.url = url
    uploadHeaders = NameValuePair.list(configuration.http.headers)
  }

  /// Returns the mistakes in a request, as sentences.
  func faults(of request: OutgoingRequest) -> [String] {
    var faults: [String] = []
    if request.method != UploadMethod.post.rawValue { faults.append("is a \(request.method) and not a POST") }
    if request.url != url { faults.append("goes to '\(request.url)'") }
    let headers = NameValuePair.list(authorization.refreshHeaders)
    // A header for a token that there is not is left open.
    let filled = headers.filter { authorization.accessToken != nil || !$0.value.contains(TokenPlaceholder.accessToken) }
      .map {
        NameValuePair($0.name, $0.value.replacing(TokenPlaceholder.accessToken, with: authorization.accessToken ?? ""))
      }
    let type = headers.first { $0.hasName(HeaderName.contentType) }?.value.lowercased()
    for header in filled + uploadHeaders.filter({ header in !headers.contains { $0.hasName(header.name) } })
    where !header.hasName(HeaderName.contentType) && ExpectedRefresh.isPlain(header) {
      let found = request.headers.filter { $0.hasName(header.name) }
      if found.isEmpty { faults.append("lacks the header '\(header.name)'") }
      let isKnown = found.contains { field in
        (filled + uploadHeaders).contains { $0.hasName(field.name) && $0.value == field.value }
      }
      if !found.isEmpty && !isKnown { faults.append("has another value for the header '\(header.name)'") }
    }
    return faults + bodyFaults(request, isJSON: type?.hasPrefix(ContentType.json) ?? false)
  }

  /// Reports whether the header can be sent as it is.
  private static func isPlain(_ header: NameValuePair) -> Bool {
    !header.name.isEmpty && header.name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ":") }
      && header.value.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F } && !header.hasName(HeaderName.contentLength)
      && !header.hasName(HeaderName.transferEncoding)
  }

  private func bodyFaults(_ request: OutgoingRequest, isJSON: Bool) -> [String] {
    let form = isJSON ? ContentType.json : ContentType.form
    let type = request.headers.first { $0.hasName(HeaderName.contentType) }?.value
    if type?.hasPrefix(form) != true { return ["is '\(type ?? "of no type")' and not \(form)"] }
    let found = isJSON ? ExpectedRefresh.members(of: request.body) : ExpectedRefresh.fields(of: request.body)
    guard let found else { return ["has a body that is not \(form)"] }
    return NameValuePair.list(authorization.refreshPayload).compactMap { field in
      let value = field.value.replacing(TokenPlaceholder.refreshToken, with: authorization.refreshToken ?? "")
      return found.contains { $0.name == field.name && $0.value == value } ? nil : "has another '\(field.name)'"
    }
  }

  private static func members(of body: [UInt8]) -> [NameValuePair]? {
    do throws(JSONError) {
      return NameValuePair.list(try JSONValue(parsing: body.span, reading: .lenient))
    } catch { return nil }
  }

  /// Reads a form (WHATWG URL §5.1); nil where it is none.
  private static func fields(of body: [UInt8]) -> [NameValuePair]? {
    var fields: [NameValuePair] = []
    for part in body.split(separator: UInt8(ascii: "&")) {
      let halves = part.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      guard halves.count == 2, let name = text(of: halves[0]), let value = text(of: halves[1]) else { return nil }
      fields.append(NameValuePair(name, value))
    }
    return fields
  }

  private static func text(of bytes: ArraySlice<UInt8>) -> String? {
    var decoded: [UInt8] = []
    var rest = bytes
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        decoded.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
        continue
      }
      guard let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else { return nil }
      decoded.append(value)
      rest = rest.dropFirst(2)
    }
    return String(decoding: decoded, as: UTF8.self)
  }
}
