/// Whether a request from this machine may come from a page of somebody else in its browser. Such a page can send requests
/// to a loopback address: under a name of its own that it has resolve to one (then Host names it), or straight to the
/// address (then the browser says whose page it is: https://fetch.spec.whatwg.org/#origin-header, Fetch Metadata §2.3).
struct BrowserCaller {
  let host: String?
  let origin: String?
  let site: String?

  static let explanation =
    "a page of another site asks, or by a name that is not this machine's; set --admin-token and show it to do that"

  var isForeign: Bool {
    if let host, !BrowserCaller.isLoopback(host) { return true }
    if let site, site != "same-origin", site != "none" { return true }
    guard let origin else { return false }
    return origin != "http://" + (host ?? "")
  }

  /// With or without a port.
  private static func isLoopback(_ host: String) -> Bool {
    if host.hasPrefix("[") { return host.prefix { $0 != "]" } == "[::1" }
    let name = host.prefix { $0 != ":" }.lowercased()
    if name == "localhost" || name.hasSuffix(".localhost") { return true }
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }
}
