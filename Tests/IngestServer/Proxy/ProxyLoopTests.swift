import Synchronization
import Testing

@testable import IngestServer

/// A request that comes back to a proxy is told so (RFC 9110 §7.6.3, RFC 5842 §7.2).
@Suite struct ProxyLoopTests {
  private final class StatusList: AnswerJudge {
    let statuses = Mutex<[Int]>([])

    func judge(_ answer: JudgedAnswer) { statuses.withLock { $0.append(answer.status) } }
    var report: ClauseReport { ClauseReport(answers: statuses.withLock(\.count), lines: []) }
    func reset() {}
  }

  private static let upload = "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}"

  @Test func aRequestThatComesBackIsAnsweredWith508AndNotJudged() throws {
    let judge = StatusList()
    let proxy = try VirtualProxy(judge: judge)
    let client = proxy.connect()
    proxy.send(Self.upload, to: client)
    let outer = try proxy.upstream
    // What it passes on comes back to itself, by way of another proxy.
    let back = proxy.connect()
    proxy.send(outer.takeText().replacing("Via: 1.1 rollingroad", with: "Via: 1.1 rollingroad, 1.1 other"), to: back)
    #expect(back.text.hasPrefix("HTTP/1.1 508 ") && back.text.contains(#""code":"loop_detected""#), "\(back.text)")
    #expect(back.text.contains("Proxy-Status: rollingroad; error=proxy_loop_detected\r\n"))
    #expect(proxy.upstreams.count == 1)
    proxy.send(back.takeText(), to: outer)
    #expect(client.text.hasPrefix("HTTP/1.1 508 "))
    #expect(judge.statuses.withLock { $0 }.isEmpty)
  }

  @Test(arguments: [
    ("Via: 1.0 edge\r\nVIA: HTTP/1.1 rollingroad (that one)", true), ("Via: 1.1 rollingroad", true),
    ("Via: 1.1 edge,1.1 RollingRoad", true), ("Via: 1.1 rollingroad-2, 1.1 edge (rollingroad)", false),
    ("Via: rollingroad", false), ("X-Via: 1.1 rollingroad", false),
  ])
  func aLoopIsToldByTheOwnName(fields: String, isLoop: Bool) throws {
    let proxy = try VirtualProxy()
    let client = proxy.connect()
    proxy.send(Self.upload.replacing("Host: a\r\n", with: "Host: a\r\n\(fields)\r\n"), to: client)
    #expect(client.text.hasPrefix("HTTP/1.1 508 ") == isLoop && proxy.upstreams.isEmpty == isLoop, "\(fields)")
  }

  /// Each proxy has a name of its own.
  @Test func aProxyBehindAnotherIsNoLoop() throws {
    let first = try ProxyServerTests.Bench()
    defer { first.stop() }
    let second = try ProxyServerTests.Bench(backend: first.proxy.url)
    defer { second.stop() }
    #expect(try second.upload(1)?.0 == 200)
    #expect(try first.account(1) == "acknowledged 1 1 1 -")
  }
}
