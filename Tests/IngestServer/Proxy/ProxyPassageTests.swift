import Base
import Network
import Synchronization
import Testing

@testable import IngestServer

/// What passes through a proxy, and what does not.
@Suite struct ProxyPassageTests {
  private final class BodyList: AnswerJudge {
    let bodies = Mutex<[String]>([])

    func judge(_ answer: JudgedAnswer) { bodies.withLock { $0.append(String(decoding: answer.body, as: UTF8.self)) } }
    var report: ClauseReport { ClauseReport(answers: bodies.withLock(\.count), lines: []) }
    func reset() {}
  }

  private static let upload =
    "POST /v1/loc?a=b HTTP/1.1\r\nHost: phone:1\r\nContent-Type: application/json\r\nContent-Length: 7\r\n\r\n{\"a\":1}"
  private static let uploadThere =
    "POST /v1/loc?a=b HTTP/1.1\r\nHost: backend:3000\r\nContent-Type: application/json\r\nContent-Length: 7\r\nVia: 1.1 rollingroad\r\n\r\n{\"a\":1}"

  /// A request, what the upstream sees of it, its answer, and what the client sees of that.
  private static let exchanges: [(String, String, String, String)] = [
    (
      upload, uploadThere, "HTTP/1.1 200 Fine\r\nContent-Length: 2\r\nX-A: b\r\n\r\n{}",
      "HTTP/1.1 200 Fine\r\nContent-Length: 2\r\nX-A: b\r\nVia: 1.1 rollingroad\r\n\r\n{}"
    ),
    (
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n0\r\nT: v\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: backend:3000\r\nVia: 1.1 rollingroad\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
      "HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
      "HTTP/1.1 201 Created\r\nVia: 1.1 rollingroad\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"
    ),
    (
      "HEAD http://other:9/p HTTP/1.1\r\nHost: x\r\n\r\n",
      "HEAD /p HTTP/1.1\r\nHost: backend:3000\r\nVia: 1.1 rollingroad\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 99\r\nVia: 1.1 rollingroad\r\n\r\n"
    ),
    (
      "OPTIONS * HTTP/1.1\r\nHost: x\r\nMax-Forwards: 3\r\n\r\n",
      "OPTIONS * HTTP/1.1\r\nHost: backend:3000\r\nMax-Forwards: 2\r\nVia: 1.1 rollingroad\r\n\r\n",
      "HTTP/1.1 204 No Content\r\nAllow: GET\r\n\r\n",
      "HTTP/1.1 204 No Content\r\nAllow: GET\r\nVia: 1.1 rollingroad\r\n\r\n"
    ),
    (
      "GET / HTTP/1.1\r\nHost: x\r\nConnection: close, X-Hop\r\nx-hop: 1\r\nTE: trailers\r\nKeep-Alive: 5\r\nProxy-Connection: a\r\nUpgrade: h2c\r\nVia: 1.0 edge\r\nX-End: 2\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: backend:3000\r\nVia: 1.0 edge\r\nX-End: 2\r\nVia: 1.1 rollingroad\r\n\r\n",
      "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 304 Not Modified\r\nConnection: X-B\r\nX-B: 1\r\nETag: \"a\"\r\n\r\n",
      "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\nVia: 1.1 rollingroad\r\n\r\nHTTP/1.1 304 Not Modified\r\nETag: \"a\"\r\nVia: 1.1 rollingroad\r\nConnection: close\r\n\r\n"
    ),
    (
      "POST /a HTTP/1.1\r\nHost: x\r\nConnection: content-length, host\r\nContent-Length: 28\r\n\r\nGET /b HTTP/1.1\r\nHost: a\r\n\r\n",
      "POST /a HTTP/1.1\r\nHost: backend:3000\r\nContent-Length: 28\r\nVia: 1.1 rollingroad\r\n\r\nGET /b HTTP/1.1\r\nHost: a\r\n\r\n",
      "HTTP/1.1 200 OK\r\nConnection: Content-Length\r\nContent-Length: 2\r\n\r\nok",
      "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nVia: 1.1 rollingroad\r\n\r\nok"
    ),
    (
      "GET /old HTTP/1.0\r\n\r\n", "GET /old HTTP/1.1\r\nHost: backend:3000\r\nVia: 1.0 rollingroad\r\n\r\n",
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n1\r\nb\r\n0\r\n\r\n",
      "HTTP/1.1 200 OK\r\nVia: 1.1 rollingroad\r\nConnection: close\r\n\r\nab"
    ),
  ]

  @Test func exchangesPassUnchangedHoweverTheBytesAreCut() throws {
    for (request, there, answer, here) in Self.exchanges {
      for cut in 0...request.utf8.count {
        let proxy = try VirtualProxy()
        let client = proxy.connect()
        proxy.send(Array(Array(request.utf8)[..<cut]), to: client)
        proxy.send(Array(Array(request.utf8)[cut...]), to: client)
        #expect(try Self.unchunked(proxy.upstream.text) == Self.unchunked(there), "\(request) cut at \(cut)")
      }
      for cut in 0...answer.utf8.count {
        let proxy = try VirtualProxy()
        let client = proxy.connect()
        proxy.send(request, to: client)
        #expect(try proxy.upstream.text == there)
        proxy.send(Array(Array(answer.utf8)[..<cut]), to: try proxy.upstream)
        proxy.send(Array(Array(answer.utf8)[cut...]), to: try proxy.upstream)
        #expect(Self.unchunked(client.text) == Self.unchunked(here), "\(answer) cut at \(cut)")
      }
    }
  }

  /// Byte by byte a chunk may become several: their content is what counts.
  private static func unchunked(_ text: String) -> String {
    guard text.contains("chunked"), let end = text.firstRange(of: "\r\n\r\n") else { return text }
    var content = ""
    var rest = text[end.upperBound...]
    while let line = rest.firstRange(of: "\r\n"), let size = Int(rest[..<line.lowerBound], radix: 16), size > 0 {
      let stop = rest.index(line.upperBound, offsetBy: size)
      content += rest[line.upperBound..<stop]
      rest = rest[stop...].dropFirst(1)
    }
    return text[..<end.upperBound] + content + "|" + rest
  }

  @Test func connectionsToTheUpstreamAreUsedAgainByWhicheverClient() throws {
    let proxy = try VirtualProxy()
    for _ in 0..<3 {
      let client = proxy.connect()
      for _ in 0..<2 {
        proxy.send(Self.upload, to: client)
        #expect(try proxy.upstream.takeText() == Self.uploadThere)
        proxy.send("HTTP/1.1 204 No Content\r\n\r\n", to: try proxy.upstream)
        #expect(client.takeText() == "HTTP/1.1 204 No Content\r\nVia: 1.1 rollingroad\r\n\r\n")
      }
    }
    #expect(proxy.upstreams.count == 1)
    proxy.pass(.seconds(4))
    #expect(try proxy.upstream.isGone)
  }

  @Test func pipelinedRequestsAreAnsweredInOrderOneAtATime() throws {
    let proxy = try VirtualProxy()
    let client = proxy.connect()
    proxy.send("GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n", to: client)
    #expect(try proxy.upstream.takeText().hasPrefix("GET /1 "))
    proxy.send("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1", to: try proxy.upstream)
    #expect(try proxy.upstream.takeText().hasPrefix("GET /2 "))
    proxy.send("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n2", to: try proxy.upstream)
    #expect(client.text.hasSuffix("\r\n\r\n2"))
  }

  /// Whatever stands behind an answer is not the next one.
  @Test func bytesBehindAnAnswerEndTheConnectionToTheUpstream() throws {
    let proxy = try VirtualProxy()
    let client = proxy.connect()
    proxy.send("GET /1 HTTP/1.1\r\nHost: a\r\n\r\n", to: client)
    let ok = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n"
    proxy.send(ok + "1" + ok + "X", to: try proxy.upstream)
    #expect(try proxy.upstream.isGone && client.takeText().hasSuffix("1"))
    proxy.send("GET /2 HTTP/1.1\r\nHost: a\r\n\r\n", to: client)
    #expect(proxy.upstreams.count == 2 && client.text == "")
  }

  @Test func requestsThatTwoReadersWouldFrameDifferentlyNeverReachTheUpstream() throws {
    let heads = [
      "Content-Length: 4\r\nTransfer-Encoding: chunked", "Content-Length: 4\r\nContent-Length: 5",
      "Content-Length: +4", "Content-Length: 4, 4", "Transfer-Encoding: xchunked",
      "Transfer-Encoding: chunked, chunked",
      "Transfer-Encoding : chunked", "Content-Length: 4\r\n folded: a", "X: a\nContent-Length: 4", "Host: b",
      "Transfer-Encoding: \u{0B}chunked", "Content-Length: 0x4",
    ]
    for head in heads {
      let proxy = try VirtualProxy()
      let client = proxy.connect()
      proxy.send(
        "POST / HTTP/1.1\r\nHost: a\r\n\(head)\r\n\r\n0\r\n\r\nGET /evil HTTP/1.1\r\nHost: a\r\n\r\n", to: client)
      #expect(proxy.upstreams.isEmpty, "\(head)")
      #expect(
        client.text.hasPrefix("HTTP/1.1 400 ") || client.text.hasPrefix("HTTP/1.1 501 "), "\(head): \(client.text)")
      #expect(client.isGone)
    }
    let proxy = try VirtualProxy()
    let old = proxy.connect()
    proxy.send("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", to: old)
    #expect(proxy.upstreams.isEmpty && old.text.hasPrefix("HTTP/1.1 400 "))
  }

  @Test func answersWithDoubtfulFramingAreNotPassedOn() throws {
    for head in ["Content-Length: 1\r\nTransfer-Encoding: chunked", "Content-Length: 1\r\nContent-Length: 2", "A b"] {
      let proxy = try VirtualProxy()
      let client = proxy.connect()
      proxy.send(Self.upload, to: client)
      proxy.send("HTTP/1.1 200 OK\r\n\(head)\r\n\r\nab", to: try proxy.upstream)
      #expect(client.text.hasPrefix("HTTP/1.1 502 ") && client.text.contains("upstream_malformed"))
      #expect(client.text.contains("Proxy-Status: rollingroad; error=http_protocol_error"))
      #expect(try proxy.upstream.isGone)
    }
  }

  @Test func aBodyWaitsForTheLeaveOfTheUpstream() throws {
    let proxy = try VirtualProxy()
    let client = proxy.connect()
    proxy.send("PUT /a HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n", to: client)
    #expect(try proxy.upstream.takeText().contains("\r\nExpect: 100-continue\r\n"))
    proxy.send("HTTP/1.1 100 Continue\r\n\r\n", to: try proxy.upstream)
    #expect(client.takeText() == "HTTP/1.1 100 Continue\r\nVia: 1.1 rollingroad\r\n\r\n")
    proxy.send("abc", to: client)
    #expect(try proxy.upstream.takeText() == "abc")
    proxy.send("HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n", to: try proxy.upstream)
    #expect(client.text.hasPrefix("HTTP/1.1 201 "))
  }

  @Test func anEarlyAnswerPassesAndEndsTheConnections() throws {
    let proxy = try VirtualProxy()
    let client = proxy.connect()
    proxy.send("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\nabc", to: client)
    proxy.send("HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n", to: try proxy.upstream)
    #expect(
      client.text == "HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\nVia: 1.1 rollingroad\r\nConnection: close\r\n\r\n")
    #expect(client.isGone && client.ending == .afterOutput)
    #expect(try proxy.upstream.isGone)
  }

  /// The ledger wants the records of the rest; the client was told that no further request is read.
  @Test func aShortRestBehindAnEarlyAnswerIsReadAndNotPassedOn() throws {
    let judge = BodyList()
    let proxy = try VirtualProxy(judge: judge)
    let client = proxy.connect()
    proxy.send("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 7\r\n\r\n{\"a", to: client)
    let upstream = try proxy.upstream
    _ = upstream.takeText()
    proxy.send("HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n", to: upstream)
    #expect(client.takeText().hasSuffix("\r\nConnection: close\r\n\r\n") && !client.isGone)
    #expect(judge.bodies.withLock { $0 } == [])
    proxy.send("\":1}GET /b HTTP/1.1\r\nHost: a\r\n\r\n", to: client)
    #expect(client.text == "" && client.isGone && upstream.text == "" && proxy.upstreams.count == 1)
    #expect(judge.bodies.withLock { $0 } == ["{\"a\":1}"])
  }

  /// 16 MiB in each direction, with sides that take little at a time.
  @Test func neitherSideIsReadFasterThanTheOtherTakes() throws {
    let proxy = try VirtualProxy()
    let client = proxy.connect()
    let length = 16_777_216
    let piece = [UInt8](repeating: 97, count: 65_536)
    proxy.send("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: \(length)\r\n\r\n", to: client)
    let upstream = try proxy.upstream
    _ = upstream.takeText()
    var (sent, worst) = (0, 0)
    var passed = 0
    proxy.give(upstream, room: 0)
    while passed < length {
      if client.input.isEmpty, sent < length {
        proxy.send(piece, to: client)
        sent += piece.count
      }
      worst = max(worst, sent - passed)
      proxy.give(upstream, room: 50_000)
      passed += upstream.takeText().utf8.count
    }
    #expect(passed == length && worst <= 6 * 65_536)
    proxy.give(client, room: 0)
    proxy.send("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n", to: upstream)
    (sent, worst, passed) = (0, 0, 0)
    while passed < length {
      if upstream.input.isEmpty, sent < length {
        proxy.send(piece, to: upstream)
        sent += piece.count
      }
      worst = max(worst, sent - passed)
      proxy.give(client, room: 50_000)
      passed += client.takeText().utf8.count
    }
    #expect(passed >= length && worst <= 6 * 65_536)
  }
}
