/// `HOST[:PORT]`, the authority of a URL without a user (RFC 3986 §3.2.2); an IPv6 address is in brackets.
package struct HostAndPort {
  /// The problem of an invalid text.
  package enum Problem: Error {
    case host, port
  }

  /// The form, for messages: "'…' is not \(form)".
  package static let form = "HOST or HOST:PORT with a port from 1 to 65535, and an IPv6 address in brackets"

  /// Without the brackets.
  package let host: Substring
  /// Nil if the text has none.
  package let port: UInt16?

  package init(_ text: Substring) throws(Problem) {
    let isBracketed = text.hasPrefix("[")
    let end = text.firstIndex(of: isBracketed ? "]" : ":")
    guard !isBracketed || end != nil else { throw .host }
    host = (isBracketed ? text.dropFirst() : text)[..<(end ?? text.endIndex)]
    let rest = end.map { text[(isBracketed ? text.index(after: $0) : $0)...] } ?? ""
    guard !host.isEmpty, !host.contains(where: "[]".contains), rest.isEmpty || rest.hasPrefix(":") else { throw .host }
    // A second colon is an IPv6 address without brackets.
    guard !rest.dropFirst().contains(":") else { throw .host }
    let digits = rest.dropFirst()
    port = UInt16(digits)
    guard rest.isEmpty || (port ?? 0) > 0 && digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { throw .port }
  }
}
