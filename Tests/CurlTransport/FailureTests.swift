import Base
import Contract
import CurlTransport
import Support
import Testing
import Upload

/// What is no answer, and what it is called.
@Suite(.timeLimit(.minutes(10))) struct FailureTests {
  private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  @Test(
    arguments: Way.allCases,
    [
      (BareServer.Answer.close([]), TransportFailure.incomplete),
      (.close(bytes("HTTP/1.1 200 OK\r\nConte")), .incomplete),
      (.close(bytes("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")), .incomplete),
      (.close(bytes("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhal")), .incomplete),
      (.close(bytes("HTTP/1.1 100 Continue\r\n\r\n")), .incomplete),
      (.reset([]), .reset),
      (.reset(bytes("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")), .reset),
      (.keep(bytes("SSH-2.0-OpenSSH_9.2\r\n")), .protocolError),
      (.keep(bytes("HTTP/1.1 abc OK\r\n\r\n")), .protocolError),
      (.keep(bytes("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n")), .protocolError),
      (.keep(bytes("HTTP/1.1 200 OK\r\nContent-Length: -3\r\n\r\n")), .protocolError),
      (.keep(bytes("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc")), .protocolError),
      (.silence, .timeout),
      (.keep(bytes("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")), .timeout),
      (.trickle(bytes("HTTP/1.1 200 OK\r\nX: 1\r\n").map { [$0] }, milliseconds: 20), .timeout),
    ])
  func whatIsNoWholeAnswer(_ way: Way, _ pair: (BareServer.Answer, is: TransportFailure)) async throws {
    let (answer, failure) = pair
    let server = try BareServer { _ in answer }
    let patience: Nanoseconds = failure == .timeout ? .milliseconds(150) : .seconds(3_600)
    let completion = try await Post(way).send(server.url, body: [1, 2, 3], timeout: patience)
    #expect(completion.failure == failure)
    #expect(completion.message != nil)
    // The time of a request may be over before the machine has found the time to send it.
    let arrived = failure == .timeout ? 0...1 : 1...1
    #expect(arrived.contains(server.requests.count), "on a new connection nothing is repeated")
    if failure == .timeout { #expect(completion.timings.total >= .milliseconds(149)) }
  }

  @Test(arguments: Way.allCases) func aPortWithoutAServerRefuses(_ way: Way) async throws {
    let port = try { try BareServer { _ in .silence }.port }()
    let completion = try await Post(way).send("http://127.0.0.1:\(port)/")
    #expect(completion.failure == .refused)
    #expect(completion.message?.contains("127.0.0.1") == true)
  }

  /// A label of 64 bytes is none (RFC 1035 §2.3.4), so no name server has to be asked.
  @Test(arguments: Way.allCases) func aNameThatCannotBeIsNotResolved(_ way: Way) async throws {
    let label = String(repeating: "a", count: 64)
    #expect(try await Post(way).send("http://\(label).test/").failure == .unresolvable)
  }

  /// 240.0.0.0/4 is reserved (RFC 1112 §4), and the kernel has no way there.
  @Test(arguments: Way.allCases) func anAddressWithoutAWayIsUnreachable(_ way: Way) async throws {
    var configuration = TransportConfiguration()
    configuration.sourceAddresses = ["203.0.113.77"]
    #expect(try await Post(way, configuration).send("http://127.0.0.1:1/").failure == .unreachable)
  }

  @Test(
    arguments: Way.allCases,
    [
      "", "no url", "http://", "ftp://127.0.0.1/", "file:///etc/hostname", "http://a b/", "http://a\u{0}b/",
    ])
  func whatIsNoURLIsSaidSo(_ way: Way, _ url: String) async throws {
    let completion = try await Post(way).send(url)
    #expect(completion.failure == .invalidURL, "\(completion)")
    #expect(completion.message != nil)
  }

  @Test(arguments: Way.allCases) func aURLThatIsTooLongForLibcurlIsSaidSo(_ way: Way) async throws {
    let completion = try await Post(way).send("http://127.0.0.1/" + String(repeating: "x", count: 8_000_000))
    #expect(completion.failure == .invalidURL && completion.message == "the URL is too long")
  }

  @Test(arguments: Way.allCases, ["a\r\nInjected: 1", "a\nb", "a\u{0}b"]) func aHeaderCannotEndItsLine(
    _ way: Way, _ value: String
  ) async throws {
    let server = try BareServer { _ in .ok() }
    let post = try Post(way)
    #expect(await post.send(server.url, headers: [NameValuePair("X", value)]).failure == .protocolError)
    #expect(await post.send(server.url, headers: [NameValuePair(value, "x")]).failure == .protocolError)
    #expect(await post.send(server.url, method: value).failure == .protocolError)
    #expect(server.requests.isEmpty)
  }

  @Test(arguments: Way.allCases) func aCancelledRequestEndsOnceAndTheConnectionWithIt(_ way: Way) async throws {
    let server = try BareServer { $0.lines[0].contains("/silent") ? .silence : .ok() }
    let post = try Post(way)
    let id = post.submit(server.url + "silent")
    let other = post.submit(server.url + "silent", device: 1)
    await server.comesTrue { $0.requests.count == 2 }
    post.transport.cancel(id, device: 1)
    post.transport.cancel(id, device: 0)
    post.transport.cancel(id, device: 0)
    let ended = await post.take(1)[0]
    #expect(ended.id == id && ended.device == 0 && ended.failure == .cancelled)
    await server.comesTrue { $0.ended == 1 }
    #expect(await post.send(server.url).answer?.status == 200)
    post.transport.cancel(other, device: 1)
    #expect(await post.take(1)[0].id == other)
  }

  @Test(arguments: Way.allCases) func stoppingEndsEveryRequest(_ way: Way) async throws {
    let server = try BareServer { _ in .silence }
    let post = try Post(way)
    let ids = (0..<200).map { post.submit(server.url, device: $0 % 70) }
    post.transport.stop()
    post.submit(server.url)
    post.transport.stop()
    let ended = await post.take(200)
    #expect(ended.allSatisfy { $0.failure == .cancelled })
    #expect(Set(ended.map(\.id)) == Set(ids))
  }
}
