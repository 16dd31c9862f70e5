import Base
import Contract
import CurlTransport
import Support
import Testing

/// Connections under a phone's requests, whoever speaks on them.
@Suite(.timeLimit(.minutes(10))) struct LineTests {
  /// The server may end it while the request is under way to it.
  @Test(arguments: Way.allCases) func aConnectionThatDiesUnderItsSecondRequestIsReplaced(_ way: Way) async throws {
    let server = try BareServer { request in
      request.connection == 0 && request.lines[0].contains("/2") ? .close([]) : .ok("\(request.connection)")
    }
    let post = try Post(way)
    let answers = [await post.send(server.url + "1", body: [1]), await post.send(server.url + "2", body: [2])]
    #expect(answers.map { $0.answer?.body } == ["0", "1"])
    #expect(answers.map(\.timings.newConnections) == [1, 1])
    #expect(server.requests.map(\.body) == [[1], [2], [2]])
  }

  @Test(arguments: Way.allCases) func whatADeviceAsksAtOnceGoesOverSeveralConnections(_ way: Way) async throws {
    let answer = Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8)
    let server = try BareServer { _ in .trickle([answer], milliseconds: 20) }
    let post = try Post(way)
    for round in 1...2 {
      for _ in 0..<3 { post.submit(server.url) }
      let ended = await post.take(3)
      #expect(ended.allSatisfy { $0.answer?.status == 200 })
      #expect(ended.map(\.timings.newConnections) == (round == 1 ? [1, 1, 1] : [0, 0, 0]))
    }
    #expect(server.opened == 3)
  }

  @Test(arguments: Way.allCases) func aDeviceKeepsAConnectionForEachServer(_ way: Way) async throws {
    let servers = [try BareServer { _ in .ok("a") }, try BareServer { _ in .ok("b") }]
    let post = try Post(way)
    for index in [0, 1, 0, 1, 1, 0] {
      #expect(await post.send(servers[index].url).answer?.body == ["a", "b"][index])
    }
    #expect(servers.map(\.opened) == [1, 1])
  }

  /// A refusal that comes before the whole body was taken; libcurl may lose it to the reset behind it.
  @Test func anEarlyAnswerIsTakenAndItsConnectionIsNotUsedAgain() async throws {
    let server = try BareServer(isHasty: true) { _ in
      .close(Array("HTTP/1.1 413 Too Much\r\nContent-Length: 3\r\n\r\nbig".utf8))
    }
    let post = try Post(.direct)
    for _ in 0..<2 {
      let completion = await post.send(server.url, body: [UInt8](repeating: 7, count: 8_000_000))
      #expect(completion.answer?.status == 413 && completion.answer?.body == "big")
      #expect(completion.timings.newConnections == 1)
    }
  }

  @Test func aConnectionThatSaysMoreThanItWasAskedIsNotUsedAgain() async throws {
    let server = try BareServer { _ in .text("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 500 No\r\n\r\n") }
    let post = try Post(.direct)
    for _ in 0..<3 {
      let completion = await post.send(server.url)
      #expect(completion.answer?.body == "ok" && completion.timings.newConnections == 1)
    }
  }

  /// What is not written as it goes onto the wire is libcurl's: it must not matter who sends it.
  @Test(arguments: ["a/../b", "?x=1", "a#b", "a?b=%2F", "ü", "", "a.b/.c"])
  func bothWaysAskForTheSame(_ path: String) async throws {
    let server = try BareServer { _ in .ok() }
    for way in Way.allCases { #expect(try await Post(way).send(server.url + path).answer?.status == 200) }
    let lines = server.requests.map { $0.lines.sorted() }
    #expect(lines.count == 2 && lines[0] == lines[1])
  }

  @Test func bothWaysNameTheSamePort() async throws {
    let server = try BareServer { _ in .ok() }
    let url = server.url.replacing("127.0.0.1:", with: "127.0.0.1:0")
    for way in Way.allCases { #expect(try await Post(way).send(url).answer?.status == 200) }
    let lines = server.requests.map { $0.lines.sorted() }
    #expect(url != server.url && lines.count == 2 && lines[0] == lines[1])
  }

  /// libcurl would leave out a header whose value is blank.
  @Test(arguments: Way.allCases) func aBlankHeaderIsSentEmpty(_ way: Way) async throws {
    let server = try BareServer { _ in .ok() }
    let headers = ["", "  ", "\t"].enumerated().map { NameValuePair("X-\($0.offset)", $0.element) }
    #expect(try await Post(way).send(server.url, headers: headers).answer?.status == 200)
    let lines = try #require(server.requests.first).lines
    #expect(lines.filter { $0.hasPrefix("X-") } == ["X-0:", "X-1:", "X-2:"])
  }
}
