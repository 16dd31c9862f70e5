import Contract
import CurlTransport
import Glibc
import Support
import Testing

/// What arrives at the server.
@Suite(.timeLimit(.minutes(10))) struct RequestTests {
  @Test(arguments: Way.allCases) func aRequestArrivesAsItWasMadeAndWithNothingElse(_ way: Way) async throws {
    let server = try BareServer { _ in .ok() }
    let headers = [
      NameValuePair("Content-Type", "application/json"), NameValuePair("Authorization", "Bearer a.b.c"),
      NameValuePair("User-Agent", "BGGeoSim/1 (iOS)"), NameValuePair("X-Empty", ""), NameValuePair("X-Twice", "1"),
      NameValuePair("X-Twice", "2"), NameValuePair("X-Ünicode", "Straße"),
    ]
    let body = Array(#"{"location":{}}"#.utf8)
    #expect(
      try await Post(way).send(server.url + "p/a?q=A%20b&q=c", headers: headers, body: body).answer?.status == 200)
    let request = server.requests[0]
    #expect(request.body == body)
    #expect(request.lines[0] == "POST /p/a?q=A%20b&q=c HTTP/1.1")
    #expect(
      request.lines.dropFirst().sorted()
        == [
          "Accept-Encoding: gzip", "Accept: */*", "Authorization: Bearer a.b.c", "Content-Length: 15",
          "Content-Type: application/json", "Host: 127.0.0.1:\(server.port)", "User-Agent: BGGeoSim/1 (iOS)",
          "X-Empty:", "X-Twice: 1", "X-Twice: 2", "X-Ünicode: Straße",
        ].sorted())
  }

  @Test(arguments: Way.allCases, ["POST", "PUT", "PATCH", "OPTIONS", "DELETE", "GET"])
  func everyMethodCarriesItsBody(_ way: Way, _ method: String) async throws {
    let server = try BareServer { _ in .ok() }
    let post = try Post(way)
    #expect(await post.send(server.url, method: method, body: [1, 0, 2]).answer?.status == 200)
    #expect(await post.send(server.url, method: method).answer?.status == 200)
    #expect(server.requests.map(\.body) == [[1, 0, 2], []])
    #expect(server.requests.allSatisfy { $0.lines[0] == "\(method) / HTTP/1.1" })
    #expect(server.requests.allSatisfy { $0.values(of: "content-type").isEmpty && $0.values(of: "expect").isEmpty })
  }

  /// Its answer has none, whatever its length says (RFC 9110 §9.3.2); the next request over the same handle has one again.
  @Test(arguments: Way.allCases) func aHeadWaitsForNoBody(_ way: Way) async throws {
    let server = try BareServer { request in
      let head = Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n".utf8)
      return .keep(request.lines[0].hasPrefix("HEAD") ? head : head + Array("{}".utf8))
    }
    let post = try Post(way)
    let answer = try #require(await post.send(server.url, method: "HEAD").answer)
    #expect(answer.status == 200 && answer.body.isEmpty)
    #expect(await post.send(server.url, body: [1]).answer?.body == "{}")
    #expect(server.requests.map { $0.lines[0].prefix(4) } == ["HEAD", "POST"] && server.requests[1].body == [1])
  }

  private static let megabytes = (0..<5_000_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 11) }

  @Test(arguments: Way.allCases) func aBodyOfMegabytesArrivesWithoutBeingAskedFor(_ way: Way) async throws {
    let server = try BareServer { _ in .ok() }
    let body = Self.megabytes
    let completion = try await Post(way).send(server.url, body: body)
    #expect(completion.answer?.status == 200)
    let arrived = server.requests[0].body
    // Without the optimizer arrays are compared element by element.
    #expect(unsafe arrived.count == body.count && memcmp(arrived, body, body.count) == 0)
    #expect(server.requests[0].values(of: "expect").isEmpty)
  }

  /// Handles go from request to request: nothing of the last one may stay.
  @Test(arguments: Way.allCases) func nothingOfARequestStaysInTheNext(_ way: Way) async throws {
    let server = try BareServer { _ in .ok() }
    let post = try Post(way)
    _ = await post.send(server.url + "1", method: "PUT", headers: [NameValuePair("X-Secret", "1")], body: [1])
    _ = await post.send(server.url + "2", device: 1, method: "GET")
    _ = await post.send(server.url + "3", device: 2)
    #expect(server.requests.map { $0.lines[0] } == ["PUT /1 HTTP/1.1", "GET /2 HTTP/1.1", "POST /3 HTTP/1.1"])
    #expect(server.requests.map(\.body) == [[1], [], []])
    #expect(server.requests.map { $0.values(of: "x-secret").count } == [1, 0, 0])
  }

  @Test func aProxyIsAskedForTheWholeURL() async throws {
    let proxy = try BareServer { _ in .ok("from the proxy") }
    var configuration = TransportConfiguration()
    configuration.proxy = "http://127.0.0.1:\(proxy.port)"
    let answer = try await Post(.libcurl, configuration).send("http://backend.test/locations").answer
    #expect(answer?.body == "from the proxy")
    #expect(proxy.requests[0].lines[0] == "POST http://backend.test/locations HTTP/1.1")
  }
}
