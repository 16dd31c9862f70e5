/// A URL split as by HTTP clients (RFC 3986 §3), without checking its parts.
package struct URLParts {
  /// The scheme with its delimiter, as in `https://`; empty if there is none.
  package let scheme: Substring
  /// Host and port, and user name and password.
  package let authority: Substring
  /// The rest: path, query and fragment.
  package let path: Substring

  package init(_ url: String) {
    let host = url.firstRange(of: "://")?.upperBound ?? url.startIndex
    let end = url[host...].firstIndex { "/?#".contains($0) } ?? url.endIndex
    (scheme, authority, path) = (url[..<host], url[host..<end], url[end...])
  }

  /// Whether it is a URL of the web rather than a path.
  package var isHTTP: Bool { scheme == "http://" || scheme == "https://" }

  /// Scheme and authority: the URL without its path.
  package var origin: String { String(scheme + authority) }

  /// Host and port only: what follows the last `@`.
  package var host: Substring {
    authority[(authority.lastIndex(of: "@").map(authority.index(after:)) ?? authority.startIndex)...]
  }

  /// The URL without user name and password, so that it may be logged.
  package var withoutUser: String { String(scheme + host + path) }
}
