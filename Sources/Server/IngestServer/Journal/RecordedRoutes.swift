import HTTP1

/// What requests of the journal asked for, by what is kept of them.
struct RecordedRoutes: Sendable {
  /// They were passed on by a proxy, to paths of another server.
  let isOfProxy: Bool

  /// What a request with this method and target asks for; nil when nothing is served there.
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
