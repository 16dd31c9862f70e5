import HTTP1

/// Determines the routes of recorded requests.
struct RecordedRoutes: Sendable {
  /// Whether a proxy passed them on, to paths of another server.
  let isOfProxy: Bool

  /// Returns the route of a request with this method and target; nil when nothing serves it.
  func route(of method: String, _ target: String) -> Route? {
    if isOfProxy { return ProxiedOperation.of(method: method, path: target).map { ProxiedOperation.route($0).0 } }
    var parser = RequestParser()
    var head = RequestHead()
    let text = Array("\(method) \(target) HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
    do throws(HTTPError) {
      guard try parser.next(text.span, into: &head).event == .head else { return nil }
    } catch { return nil }
    guard case .route(let route, _, _) = Router().match(head) else { return nil }
    return route
  }
}
