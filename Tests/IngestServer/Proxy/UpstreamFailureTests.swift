import Base
import Network
import Synchronization
import Testing

@testable import IngestServer

/// What a client gets when the upstream does not do its part.
@Suite struct UpstreamFailureTests {
  private let get = "GET /a HTTP/1.1\r\nHost: a\r\n\r\n"
  private let post = "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx"

  private func check(_ text: String, _ status: Int, _ code: String, _ word: String) {
    #expect(text.hasPrefix("HTTP/1.1 \(status) ") && text.contains("\"\(code)\""), "\(text)")
    #expect(text.contains("Proxy-Status: rollingroad; error=\(word)\r\n"), "\(text)")
  }

  @Test func anUpstreamThatRefusesConnectionsIsNamedAndMayComeBack() throws {
    let proxy = try VirtualProxy()
    proxy.acceptsConnections = false
    let client = proxy.connect()
    proxy.send(post, to: client)
    proxy.refuse(try proxy.upstream)
    check(client.takeText(), 502, "upstream_unreachable", "destination_unavailable")
    proxy.acceptsConnections = true
    proxy.send(post, to: client)
    proxy.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", to: try proxy.upstream)
    #expect(client.text.hasPrefix("HTTP/1.1 200 ") && !client.isGone)
  }

  private final class FailureList: AnswerJudge {
    let failures = Mutex<[String]>([])

    func judge(_ answer: JudgedAnswer) {
      failures.withLock { $0.append(answer.failure.map { "\($0)" } ?? "none") }
    }
    var report: ClauseReport { ClauseReport(answers: failures.withLock(\.count), lines: []) }
    func reset() {}
  }

  @Test func anUpstreamThatTakesNoConnectionOrDoesNotAnswerIsLeftInTime() throws {
    let judge = FailureList()
    let proxy = try VirtualProxy(judge: judge)
    proxy.acceptsConnections = false
    let client = proxy.connect()
    proxy.send(post, to: client)
    proxy.pass(.milliseconds(4_999))
    #expect(client.text == "")
    proxy.pass(.milliseconds(1))
    check(client.takeText(), 504, "upstream_timeout", "connection_timeout")
    proxy.acceptsConnections = true
    proxy.send(post, to: client)
    proxy.pass(.milliseconds(59_999))
    #expect(client.text == "")
    proxy.pass(.milliseconds(1))
    check(client.text, 504, "upstream_timeout", "http_response_timeout")
    #expect(try proxy.upstream.isGone && !client.isGone)
    #expect(judge.failures.withLock { $0 } == [#"unreachable("the connection timed out")"#, "timeout"])
  }

  /// A client that sends slowly is no reason to leave the upstream.
  @Test func theUpstreamsTimeBeginsWhenItHasTheRequest() throws {
    let proxy = try VirtualProxy()
    let client = proxy.connect()
    proxy.send("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nx", to: client)
    proxy.pass(.seconds(120))
    #expect(client.text == "")
    #expect(try !proxy.upstream.isGone)
    proxy.send("y", to: client)
    proxy.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", to: try proxy.upstream)
    #expect(client.text.hasPrefix("HTTP/1.1 200 "))
  }

  @Test func anUpstreamThatClosesAtAnyByteOfItsAnswerLeavesNoDoubt() throws {
    let answer = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nabcd"
    let head = answer.utf8.count - 4
    for cut in 0..<answer.utf8.count {
      for resets in [false, true] {
        let proxy = try VirtualProxy()
        let client = proxy.connect()
        proxy.send(post, to: client)
        proxy.send(Array(Array(answer.utf8)[..<cut]), to: try proxy.upstream)
        if resets { proxy.close(try proxy.upstream) } else { proxy.finish(try proxy.upstream) }
        if cut < head {
          check(client.text, 502, "upstream_closed", "http_response_incomplete")
          #expect(!client.isGone)
        } else {
          #expect(client.text.hasSuffix("\r\n\r\n" + "abcd".prefix(cut - head)) && client.isGone)
        }
      }
    }
  }

  @Test func anAnswerThatEndsWithItsConnectionIsWholeOnlyWhenThatEndsInPeace() throws {
    for (version, ending) in [("1.1", SessionWishes.Ending.afterOutput), ("1.0", .reset)] {
      let proxy = try VirtualProxy()
      let good = proxy.connect()
      proxy.send("GET / HTTP/\(version)\r\nHost: a\r\n\r\n", to: good)
      proxy.send("HTTP/1.0 200 OK\r\n\r\nall", to: try proxy.upstream)
      proxy.finish(try proxy.upstream)
      #expect(good.text.hasSuffix(version == "1.1" ? "3\r\nall\r\n0\r\n\r\n" : "\r\n\r\nall"))
      #expect(good.isGone == (version == "1.0"))
      let bad = proxy.connect()
      proxy.send("GET / HTTP/\(version)\r\nHost: a\r\n\r\n", to: bad)
      proxy.send("HTTP/1.0 200 OK\r\n\r\nall", to: try proxy.upstream)
      proxy.close(try proxy.upstream)
      #expect(!bad.text.hasSuffix("0\r\n\r\n") && bad.isGone)
      #expect(bad.ending == ending)
    }
  }

  /// RFC 9110 §9.2.2: a proxy may send a request again only when that changes nothing.
  @Test func aKeptConnectionThatWasClosedIsReplacedForIdempotentRequestsOnly() throws {
    let proxy = try VirtualProxy()
    let client = proxy.connect()
    proxy.send(get, to: client)
    proxy.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", to: try proxy.upstream)
    _ = client.takeText()
    let first = try proxy.upstream
    _ = first.takeText()
    proxy.send(get, to: client)
    #expect(first.text.hasPrefix("GET /a "))
    proxy.finish(first)
    #expect(proxy.upstreams.count == 2)
    #expect(try proxy.upstream.text.hasPrefix("GET /a "))
    proxy.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", to: try proxy.upstream)
    #expect(client.takeText().hasPrefix("HTTP/1.1 200 "))
    proxy.send(post, to: client)
    proxy.finish(try proxy.upstream)
    #expect(proxy.upstreams.count == 2)
    check(client.text, 502, "upstream_closed", "http_response_incomplete")
  }

  @Test func aClientThatLeavesDoesNotKeepTheUpstreamFromAnswering() throws {
    let proxy = try VirtualProxy()
    let client = proxy.connect()
    proxy.send(post, to: client)
    proxy.close(client)
    #expect(try !proxy.upstream.isGone)
    proxy.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab", to: try proxy.upstream)
    #expect(try !proxy.upstream.isGone, "the connection is kept")
    let half = proxy.connect()
    proxy.send("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nx", to: half)
    proxy.close(half)
    #expect(try proxy.upstream.isGone, "half a request can only be abandoned")
    #expect(proxy.upstreams.count == 1)
  }
}
