/// Determines whether a request from this machine may come from a page of another site in its browser. Such a page can send
/// requests to a loopback address: under a name of its own that resolves to one (then Host names it), or straight to the
/// address (then the browser names the page: https://fetch.spec.whatwg.org/#origin-header, Fetch Metadata §2.3).
package struct BrowserCaller: Sendable {
  /// The values of the fields `Host`, `Origin` and `Sec-Fetch-Site`.
  private let host: String?
  private let origin: String?
  private let site: String?
  private let isSecure: Bool

  /// `isSecure` is true for a request over TLS.
  package init(host: String?, origin: String?, site: String?, isSecure: Bool = false) {
    self.host = host
    self.origin = origin
    self.site = site
    self.isSecure = isSecure
  }

  /// `flag` is the flag that sets the token.
  package static func explanation(_ token: String, flag: String) -> String {
    "requests from other sites, or for a host name other than localhost, need the \(token) token; set \(flag)"
  }

  package var isForeign: Bool {
    if let host, !BrowserCaller.isLoopback(host) { return true }
    if let site, site != "same-origin", site != "none" { return true }
    guard let origin else { return false }
    return origin != (isSecure ? "https://" : "http://") + (host ?? "")
  }

  /// Accepts a host with or without a port.
  private static func isLoopback(_ host: String) -> Bool {
    if host.hasPrefix("[") { return host.prefix { $0 != "]" } == "[::1" }
    let name = host.prefix { $0 != ":" }.lowercased()
    if name == "localhost" || name.hasSuffix(".localhost") { return true }
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }
}
