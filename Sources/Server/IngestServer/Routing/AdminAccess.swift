import Contract
import HTTP1

/// Who may administrate: the holder of the administrator's token when one is set; else clients on this machine, except
/// pages of other sites in its browser.
struct AdminAccess: Sendable {
  let token: String?

  func refuse(
    _ exchange: Exchange, _ head: borrowing RequestHead, isLocal: Bool
  ) -> Response? {
    guard let token = token else {
      guard isLocal else {
        return .error(403, "admin_is_local", "set --admin-token to use /admin from another machine")
      }
      let caller = BrowserCaller(
        host: head.text(HeaderName.host), origin: head.text(HeaderName.origin), site: head.text(HeaderName.secFetchSite)
      )
      return caller.isForeign ? .error(403, "foreign_site", BrowserCaller.explanation) : nil
    }
    guard let shown = exchange.bearer,
      Cryptography.areEqual(Cryptography.sha256(shown), Cryptography.sha256(Array(token.utf8)))
    else { return .unauthorized("admin_token_required", "this path needs the administrator's token") }
    return nil
  }
}

/// Whether a request from this machine may come from a page of another site in its browser. Such a page can send requests
/// to a loopback address: under a name of its own that resolves to one (then Host names it), or straight to the
/// address (then the browser names the page: https://fetch.spec.whatwg.org/#origin-header, Fetch Metadata §2.3).
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
