/// An address taken apart as HTTP clients do (RFC 3986 §3), without a judgement of what stands in its parts.
package struct URLParts {
  /// With what ends it, as in `https://`; empty where the address has none.
  package let scheme: Substring
  /// Host and port, and the name and password of a user.
  package let authority: Substring
  /// What follows: path and query.
  package let path: Substring

  package init(_ url: String) {
    let host = url.firstRange(of: "://")?.upperBound ?? url.startIndex
    let end = url[host...].firstIndex { $0 == "/" || $0 == "?" } ?? url.endIndex
    (scheme, authority, path) = (url[..<host], url[host..<end], url[end...])
  }

  /// The address is one of the web, and no path.
  package var isHTTP: Bool { scheme == "http://" || scheme == "https://" }

  /// Scheme, host and port.
  package var origin: String { String(scheme + authority) }

  /// Host and port alone.
  package var host: Substring { authority.split(separator: "@").last ?? "" }

  /// As it may be written down.
  package var withoutUser: String { String(scheme + host + path) }
}
