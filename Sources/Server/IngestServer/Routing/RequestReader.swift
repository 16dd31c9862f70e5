import Base
import Contract
import HTTP1

/// What is known of a request when its head has come, and the answer where it is refused for that alone.
struct HeadReading {
  let exchange: Exchange
  let refusal: Response?
}

/// Makes an exchange of a head.
struct RequestReader: Sendable {
  let router: Router
  let limits: HTTPLimits
  let access: AdminAccess
  let journal: JournalRecorder?
  let wallNow: @Sendable () -> WallInstant

  func read(_ head: borrowing RequestHead, now: MonotonicInstant, isLocal: Bool) -> HeadReading {
    var run = router.run(of: head).flatMap { head.fields.text($0.name) } ?? head.text(HeaderName.runID) ?? ""
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
    do throws(HTTPError) { query = try head.queryItems(limits: limits) } catch {
      refusal = refusal ?? .error(error.status, "bad_query", error.reason)
    }
    if route.isAdministrative, let named = query.first(where: { $0.name == "run" }) {
      if run.isEmpty { run = named.value }
      if run != named.value { refusal = refusal ?? .contradiction(run, named.value) }
    }
    let deviceHeader = head.text(HeaderName.deviceID).flatMap { $0.isEmpty ? nil : $0 }
    let opening = Exchange.Opening(
      route: route, routeNumber: number, parameters: parameters, run: run,
      method: head.method, version: head.version, receivedAt: wallNow(), begunAt: now,
      authorization: bytes(head, .authorization), contentType: bytes(head, .contentType),
      deviceHeader: deviceHeader, isEncoded: isEncoded(head), query: QueryParameters(query),
      lastEventID: route.isAdministrative ? head.text(HeaderName.lastEventID) : nil,
      ifNoneMatch: route.audience == .anyone ? head.text(HeaderName.ifNoneMatch) : nil,
      unservedPath: head.method == .get || head.method == .head ? nil : unserved)
    var exchange = Exchange(opening: opening, device: deviceHeader ?? parameters.last ?? "")
    if refusal == nil, route.isAdministrative { refusal = access.refuse(exchange, head, isLocal: isLocal) }
    if refusal == nil, route.deviceOperation == .uploadLocations {
      refusal = UploadHandlers.refuse(exchange, head.framing)
    }
    if let journal, isJournaled(route, isRefused: refusal != nil), journal.takesNext() {
      exchange.draft = JournalDraft(head, route.deviceOperation)
    }
    return HeadReading(exchange: exchange, refusal: refusal)
  }

  /// What devices send, and what is not understood: a device with a wrong URL is found there.
  private func isJournaled(_ route: Route, isRefused: Bool) -> Bool {
    route.deviceOperation != nil || isRefused && !route.isAdministrative
  }

  private func isEncoded(_ head: borrowing RequestHead) -> Bool {
    guard let coding = head.text(HeaderName.contentEncoding) else { return false }
    return coding.lowercased() != "identity"
  }

  private func bytes(_ head: borrowing RequestHead, _ field: KnownField) -> [UInt8]? {
    head.fields.value(field).map { range in
      var copy: [UInt8] = []
      copy.append(copying: head[range])
      return copy
    }
  }

}

extension Response {
  /// Two runs are named, and an answer about either would be a guess.
  fileprivate static func contradiction(_ run: String, _ named: String) -> Response {
    QueryParameters.refuse(
      "run", "is \(named) in the query, and \(run) in the path or in X-Run-Id; name it once"
    ).response
  }
}

extension RequestHead {
  func text(_ name: StaticString) -> String? { fields.value(name).flatMap { fields.text($0) } }
}
