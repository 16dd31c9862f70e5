import Base
import HTTP1
import HTTPService
import Network
import Support
import Synchronization
import Testing

/// A small HTTP server over real sockets.
@Suite struct ServiceTests {
  /// Says what it was asked: method, path, query and body.
  private static func echo(_ request: ServiceRequest) -> ServiceReply {
    let query = request.query.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
    let words = [
      "\(request.method.name)", request.path.joined(separator: "|"), query,
      String(decoding: request.body, as: UTF8.self),
      request.bearer ?? "-", request.mediaType ?? "-",
    ]
    return .answer(.text(200, words.joined(separator: ";")))
  }

  private func service(
    handle: @escaping @Sendable (ServiceRequest) -> ServiceReply = ServiceTests.echo, bodyBytes: Int = 1_000
  ) throws -> HTTPService {
    var behaviour = ServiceBehaviour(handle: handle)
    behaviour.limits.bodyBytes = bodyBytes
    return try HTTPService(listen: "127.0.0.1:0", behaviour)
  }

  /// Everything that comes back until the connection ends; the last request asks for that.
  private func exchange(_ service: HTTPService, _ request: String) throws -> String {
    let client = try LoopbackClient(port: service.address.port)
    try client.send(request)
    return try client.receiveToEnd().text
  }

  private static let post = """
    POST /a%20b/c?x=1&y=%32 HTTP/1.1\r
    Host: h\r
    Authorization: bearer  secret\r
    Content-Type: application/json; charset=utf-8\r
    Connection: close\r
    Transfer-Encoding: chunked\r
    \r
    5\r
    hello\r
    6\r
     world\r
    0\r
    \r

    """

  @Test func aRequestComesWholeHoweverItIsCut() throws {
    let service = try service()
    defer { service.stop() }
    let whole = try exchange(service, Self.post)
    #expect(whole.hasSuffix("\r\n\r\nPOST;a b|c;x=1&y=2;hello world;secret;application/json"))
    let bytes = Array(Self.post.utf8)
    let client = try LoopbackClient(port: service.address.port)
    for byte in bytes { try client.send([byte]) }
    #expect(try client.receiveToEnd().text == whole)
  }

  /// Half a request gets no answer and does no harm.
  @Test func aRequestThatIsCutOffIsForgotten() throws {
    let service = try service()
    defer { service.stop() }
    for length in Self.post.utf8.indices.dropLast(1) {
      let client = try LoopbackClient(port: service.address.port)
      try client.send(Array(Self.post.utf8[..<length]))
      client.shutdownOutput()
      #expect(try client.receiveToEnd().text == "")
    }
    #expect(try exchange(service, Self.post).hasPrefix("HTTP/1.1 200 OK\r\n"))
  }

  @Test func requestsOnOneConnectionAreAnsweredInTheirOrder() throws {
    let service = try service()
    defer { service.stop() }
    func get(_ path: String) -> String { "GET \(path) HTTP/1.1\r\nHost: h\r\n\r\n" }
    let last = "HEAD /2 HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"
    let answers = try exchange(service, get("/1") + get("/one") + last)
    let parts = answers.split(separator: "HTTP/1.1 ")
    try #require(parts.count == 3)
    #expect(parts[0].hasSuffix("GET;1;;;-;-") && parts[1].hasSuffix("GET;one;;;-;-"))
    #expect(parts[2].contains("Content-Length: 12\r\n") && parts[2].hasSuffix("\r\n\r\n"))
  }

  @Test func whatIsNoRequestIsRefused() throws {
    let service = try service(bodyBytes: 10)
    defer { service.stop() }
    let cases = [
      ("GET\r\n\r\n", 400, "bad_request"),
      ("GET /?%zz HTTP/1.1\r\nHost: h\r\n\r\n", 400, "bad_request"),
      ("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 11\r\n\r\n12345678901", 413, "body_too_large"),
    ]
    for (request, status, code) in cases {
      let answer = try exchange(service, request)
      #expect(answer.hasPrefix("HTTP/1.1 \(status) ") && answer.contains("\"code\":\"\(code)\""), "\(answer)")
    }
  }

  /// Other connections go on while one waits for its answer, which may come from any thread.
  @Test func anAnswerMayComeLater() throws {
    let kept = Mutex<[@Sendable (ServiceAnswer) -> Void]>([])
    let service = try service { request in
      guard request.path == ["later"] else { return ServiceTests.echo(request) }
      return .later { answer in kept.withLock { $0.append(answer) } }
    }
    defer { service.stop() }
    let client = try LoopbackClient(port: service.address.port)
    try client.send("GET /later HTTP/1.1\r\nHost: h\r\n\r\nGET /next HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
    while kept.withLock({ $0.isEmpty }) { _ = try exchange(service, Self.post) }
    kept.withLock { $0[0] }(.text(202, "done"))
    let text = try client.receiveToEnd().text
    #expect(text.contains("HTTP/1.1 202 ") && text.contains("done") && text.hasSuffix("GET;next;;;-;-"))
    // The client is gone when its answer comes: nothing happens.
    kept.withLock { $0[0] }(.text(200, "again"))
    #expect(try exchange(service, Self.post).hasPrefix("HTTP/1.1 200 "))
  }
}
