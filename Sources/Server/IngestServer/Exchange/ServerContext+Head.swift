import Base
import Contract
import HTTP1

/// What is known of a request when its head has come, and the answer where it is refused for that alone.
struct HeadReading {
  let exchange: Exchange
  let refusal: Response?
}

extension ServerContext {
  func read(_ head: borrowing RequestHead, now: MonotonicInstant, isLocal: Bool) -> HeadReading {
    var run = router.run(of: head).flatMap { head.fields.text($0.name) } ?? text(head, HeaderName.runID) ?? ""
    var (route, number) = (Route.page, Router.pageNumber)
    var parameters: [String] = []
    var refusal: Response?
    var unserved: String?
    switch router.match(head) {
    case .notFound:
      refusal = .notFound
      unserved = head.fields.text(head.path)
    case .methodNotAllowed(let methods):
      refusal = .methodNotAllowed(methods.map { "\($0.name)" }.joined(separator: ", "))
    case .route(let found, let place, let ranges):
      (route, number) = (found, place)
      parameters = ranges.compactMap { head.fields.text($0) }
    }
    var query: [FormItem] = []
    do throws(HTTPError) { query = try head.queryItems(limits: configuration.http) } catch {
      refusal = refusal ?? .error(error.status, "bad_query", error.reason)
    }
    if route.isAdministrative, let named = query.first(where: { $0.name == "run" }) {
      if run.isEmpty { run = named.value }
      if run != named.value { refusal = refusal ?? .contradiction(run, named.value) }
    }
    let deviceHeader = text(head, HeaderName.deviceID).flatMap { $0.isEmpty ? nil : $0 }
    let opening = Exchange.Opening(
      route: route, routeNumber: number, parameters: parameters, run: run,
      method: head.method, version: head.version, receivedAt: wallNow(), begunAt: now,
      authorization: bytes(head, .authorization), contentType: bytes(head, .contentType),
      deviceHeader: deviceHeader, isEncoded: isEncoded(head), query: QueryParameters(query),
      lastEventID: route.isAdministrative ? text(head, "Last-Event-ID") : nil,
      ifNoneMatch: route.audience == .anyone ? text(head, "If-None-Match") : nil,
      unservedPath: head.method == .get || head.method == .head ? nil : unserved)
    var exchange = Exchange(opening: opening, device: deviceHeader ?? parameters.last ?? "")
    if refusal == nil, route.isAdministrative { refusal = refuseAdministration(exchange, head, isLocal: isLocal) }
    if refusal == nil, route.deviceOperation == .uploadLocations { refusal = refuseUpload(exchange, head.framing) }
    if let journal, isJournaled(route, isRefused: refusal != nil), journal.takesNext() {
      exchange.draft = JournalDraft(head, route.deviceOperation)
    }
    return HeadReading(exchange: exchange, refusal: refusal)
  }

  /// What devices send, and what nobody understands: a device with a wrong URL is found there.
  private func isJournaled(_ route: Route, isRefused: Bool) -> Bool {
    route.deviceOperation != nil || isRefused && !route.isAdministrative
  }

  /// The administrator's token when one is set; else whoever is on this machine, but for pages of others in its browser.
  private func refuseAdministration(
    _ exchange: Exchange, _ head: borrowing RequestHead, isLocal: Bool
  ) -> Response? {
    guard let token = configuration.adminToken else {
      guard isLocal else {
        return .error(403, "admin_is_local", "set --admin-token to use /admin from another machine")
      }
      let caller = BrowserCaller(
        host: text(head, "Host"), origin: text(head, "Origin"), site: text(head, "Sec-Fetch-Site"))
      return caller.isForeign ? .error(403, "foreign_site", BrowserCaller.explanation) : nil
    }
    guard let shown = exchange.bearer,
      Cryptography.areEqual(Cryptography.sha256(shown), Cryptography.sha256(Array(token.utf8)))
    else { return .unauthorized("admin_token_required", "this path needs the administrator's token") }
    return nil
  }

  private func isEncoded(_ head: borrowing RequestHead) -> Bool {
    guard let coding = text(head, HeaderName.contentEncoding) else { return false }
    return coding.lowercased() != "identity"
  }

  private func bytes(_ head: borrowing RequestHead, _ field: KnownField) -> [UInt8]? {
    head.fields.value(field).map { range in
      var copy: [UInt8] = []
      copy.append(copying: head[range])
      return copy
    }
  }

  private func text(_ head: borrowing RequestHead, _ name: StaticString) -> String? {
    head.fields.value(name).flatMap { head.fields.text($0) }
  }
}

extension Exchange {
  /// What follows `Bearer ` in the Authorization field; the scheme's case does not matter (RFC 9110 §11.1).
  var bearer: [UInt8]? {
    let scheme = Array("bearer ".utf8)
    guard let authorization, authorization.count > scheme.count else { return nil }
    for (byte, letter) in zip(authorization, scheme) where byte | 0x20 != letter | 0x20 { return nil }
    return Array(authorization[scheme.count...].drop { $0 == UInt8(ascii: " ") })
  }
}

extension Response {
  /// Two runs are named, and an answer about either would be a guess.
  fileprivate static func contradiction(_ run: String, _ named: String) -> Response {
    QueryParameters.refuse(
      "run", "is \(named) in the query, and \(run) in the path or in X-Run-Id; name it once"
    ).response
  }

  /// The field is not decoration: without it iOS reports some 401s as failed connections, and the SDK then does not
  /// refresh (SDK §22, row 12).
  static func unauthorized(_ code: String, _ message: String) -> Response {
    error(401, code, message).with("WWW-Authenticate", "Bearer realm=\"rollingroad\", error=\"invalid_token\"")
  }
}
