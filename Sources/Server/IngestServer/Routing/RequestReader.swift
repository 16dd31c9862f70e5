import Base
import Contract
import Gzip
import HTTP1
import Store
import TLS

/// A request after its head was read, and the answer when the head alone is reason to refuse it.
struct HeadReading {
  let exchange: Exchange
  let refusal: Response?
}

/// The client as its connection shows it.
package struct ConnectedCaller: Sendable {
  /// Whether it is on this machine.
  let isLocal: Bool
  /// Whether it uses TLS.
  let isSecure: Bool
  /// Whether it has shown a certificate signed by `--client-ca`.
  let hasCertificate: Bool

  package init(isLocal: Bool, isSecure: Bool = false, hasCertificate: Bool = false) {
    (self.isLocal, self.isSecure, self.hasCertificate) = (isLocal, isSecure, hasCertificate)
  }
}

/// The paths that require a client certificate.
public enum CertificateScope: String, Sendable, CaseIterable {
  /// Everything under `/admin`.
  case admin
  /// The operations of devices.
  case uploads
  /// Both.
  case all

  /// Applies also on a port without TLS, where a client cannot show a certificate: otherwise that port would bypass the check.
  func refuse(_ route: Route) -> Response? {
    let isAsked = self != .uploads && route.isAdministrative || self != .admin && route.deviceOperation != nil
    guard isAsked else { return nil }
    return .error(403, "certificate_required", "this path requires a client certificate that --client-ca has signed")
  }
}

/// Makes an exchange from a head.
struct RequestReader: Sendable {
  let router: Router
  let limits: HTTPLimits
  let access: AdminAccess
  let certificates: CertificateScope?
  let journal: JournalRecorder?
  let backend: any ServerBackend
  let proxy: ProxyRole?

  func read(_ head: borrowing RequestHead, now: MonotonicInstant, from caller: ConnectedCaller) -> HeadReading {
    var (target, refusal) = find(head)
    let route = target.route
    if refusal == nil { refusal = Self.refuseNames(head, of: target) }
    var query: [FormItem] = []
    do throws(HTTPError) { query = try head.queryItems(limits: limits) } catch {
      refusal = refusal ?? .error(error.status, "bad_query", error.reason)
    }
    if route.isAdministrative, let named = query.first(where: { $0.name == "run" }) {
      if target.run.isEmpty { target.run = named.value }
      if !target.run.isExactly(named.value) { refusal = refusal ?? .contradiction(target.run, named.value) }
    }
    let exchange = Exchange(head, target, query: query, receivedAt: backend.now, begunAt: now)
    if route.namesOrigin, let host = head.text(HeaderName.host) {
      exchange.origin = "\(caller.isSecure ? "https" : "http")://\(host)"
    }
    if refusal == nil { refusal = refuse(exchange, head, target, from: caller) }
    if let journal, isJournaled(route, isRefused: refusal != nil), journal.takesNext() {
      exchange.draft = JournalDraft(head, route.deviceOperation)
    }
    return HeadReading(exchange: exchange, refusal: refusal)
  }

  /// Returns the run and the route of a request, or the answer where there is none.
  private func find(_ head: borrowing RequestHead) -> (target: Exchange.Target, refusal: Response?) {
    var target = Exchange.Target()
    target.run = router.run(of: head).flatMap { head.fields.text($0.name) } ?? head.text(HeaderName.runID) ?? ""
    switch router.match(head) {
    case .notFound:
      if head.method != .get && head.method != .head { target.unservedPath = head.fields.text(head.path) }
      return (target, Response.runPage(head) ?? .notFound)
    case .methodNotAllowed(let methods):
      return (target, .methodNotAllowed(methods.map { "\($0.name)" }.joined(separator: ", ")))
    case .route(let route, let number, let ranges):
      (target.route, target.routeNumber, target.isServed) = (route, number, true)
      target.parameters = ranges.compactMap { head.fields.text($0) }
      return (target, nil)
    }
  }

  /// Refuses a name in the header that cannot be read, and a run that is not the one in the path.
  private static func refuseNames(_ head: borrowing RequestHead, of target: Exchange.Target) -> Response? {
    // A name that cannot be read is not that of everything, as no name is.
    for name in [HeaderName.runID, HeaderName.deviceID] where head.isUnreadable(name) {
      return .error(400, "bad_request", "\(name) is not UTF-8; send it in UTF-8, or name it in the path")
    }
    guard target.route.isAdministrative, let named = head.text(HeaderName.runID), !named.isExactly(target.run) else {
      return nil
    }
    return .contradiction(target.run, named)
  }

  /// Refuses what the client may not do, whatever the body.
  private func refuse(
    _ exchange: Exchange, _ head: borrowing RequestHead, _ target: Exchange.Target, from caller: ConnectedCaller
  ) -> Response? {
    let route = target.route
    if !caller.hasCertificate, let refusal = certificates?.refuse(route) { return refusal }
    if route.isAdministrative {
      if let refusal = Self.refuseLongNames(target) { return refusal }
      if let refusal = access.refuse(exchange, head, from: caller) { return refusal }
    }
    if let refusal = ProxyRole.refuse(route, proxy) { return refusal }
    return route.deviceOperation == .uploadLocations ? UploadHandlers.refuse(exchange, head.framing) : nil
  }

  /// No stored device or run has such a name, and PostgreSQL refuses it in an index, together with everything else in the
  /// transaction.
  private static func refuseLongNames(_ target: Exchange.Target) -> Response? {
    let longest = DeviceIdentity.nameBytesMax
    let expected = "must have at most \(longest) bytes"
    if target.run.utf8.count > longest { return QueryParameters.refuse("run", expected).response }
    if target.parameters.contains(where: { $0.utf8.count > longest }) {
      return QueryParameters.refuse("device", expected).response
    }
    return nil
  }

  /// Journals the requests of devices, and those that match nothing: they reveal a device with a wrong URL.
  private func isJournaled(_ route: Route, isRefused: Bool) -> Bool {
    route.deviceOperation != nil || isRefused && !route.isAdministrative
  }
}

extension Response {
  /// People omit the slash after the name of a run, and the page would then load its parts from the wrong paths.
  fileprivate static func runPage(_ head: borrowing RequestHead) -> Response? {
    guard head.method == .get || head.method == .head, head.segments.count == 2, head.segment(0, is: "r"),
      let name = head.fields.text(head.segments[1]), !name.isEmpty,
      let path = head.fields.text(head.path), path.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else { return nil }
    let raw = path.split(separator: "/").last ?? ""
    return Response(308, "text/plain; charset=utf-8", Array("see ./\(raw)/\n".utf8))
      .with(HeaderName.location, "./\(raw)/")
  }

  /// Two different runs are named, and an answer about either would be a guess.
  fileprivate static func contradiction(_ run: String, _ named: String) -> Response {
    QueryParameters.refuse(
      "run", "is \(named) in the query, and \(run) in the path or in X-Run-Id; name it once"
    ).response
  }
}

extension RequestHead {
  func text(_ name: StaticString) -> String? { fields.value(name).flatMap { fields.text($0) } }

  /// Whether a field is there and is not UTF-8.
  func isUnreadable(_ name: StaticString) -> Bool { fields.value(name).map { fields.text($0) == nil } ?? false }

  func bytes(_ field: KnownField) -> [UInt8]? {
    fields.value(field).map { range in
      var copy: [UInt8] = []
      copy.append(copying: self[range])
      return copy
    }
  }

  var coding: ContentCoding { ContentCoding(text(HeaderName.contentEncoding)) }
}

/// Decides who may administrate: the holder of the admin token when one is set; otherwise clients on this machine, except pages
/// of other sites in its browser.
struct AdminAccess: Sendable {
  let token: String?

  func refuse(
    _ exchange: Exchange, _ head: borrowing RequestHead, from client: ConnectedCaller
  ) -> Response? {
    guard let token else {
      guard client.isLocal else {
        return .error(403, "admin_is_local", "set --admin-token to use /admin from another machine")
      }
      let caller = BrowserCaller(
        host: head.text(HeaderName.host), origin: head.text(HeaderName.origin),
        site: head.text(HeaderName.secFetchSite),
        isSecure: client.isSecure
      )
      return caller.isForeign
        ? .error(403, "foreign_site", BrowserCaller.explanation("admin", flag: "--admin-token")) : nil
    }
    guard let shown = exchange.bearer,
      Cryptography.areEqual(Cryptography.sha256(shown), Cryptography.sha256(Array(token.utf8)))
    else {
      let reason = exchange.bearer == nil ? nil : "it is not the admin token"
      return .unauthorized("admin_token_required", "this path requires the admin token", reason)
    }
    return nil
  }
}
