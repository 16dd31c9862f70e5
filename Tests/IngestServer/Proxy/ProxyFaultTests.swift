import Base
import Network
import Synchronization
import Testing

@testable import IngestServer

/// The server's faults in front of another server.
@Suite struct ProxyFaultTests {
  private static let body =
    #"{"location":[{"uuid":"00000000-0000-4000-8000-000000000001","timestamp":"2026-07-28T18:34:22.563Z","coords":{"latitude":1,"longitude":2,"accuracy":5}},{"uuid":"00000000-0000-4000-8000-000000000002","timestamp":"2026-07-28T18:34:23.563Z","coords":{"latitude":1,"longitude":2,"accuracy":5}}],"device_id":"phone-1"}"#
  private static let upload =
    "POST /any/path HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
  private static let answer =
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 11\r\n\r\n{\"ok\":true}"
  private static let passed =
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 11\r\nVia: 1.1 rollingroad\r\n\r\n{\"ok\":true}"

  private struct Run {
    let proxy: VirtualProxy
    let client: VirtualProxy.End

    init(_ fault: String, match: String = "{}") throws {
      proxy = try VirtualProxy()
      try proxy.setFaults(#"{"faults":[{"id":"f","fault":\#(fault),"match":\#(match)}]}"#)
      client = proxy.connect()
    }

    /// What the upstream got; nil for nothing.
    func exchange(answer: String = ProxyFaultTests.answer) throws -> String? {
      let before = proxy.upstreams.count
      proxy.send(ProxyFaultTests.upload, to: client)
      guard let upstream = proxy.upstreams.last, proxy.upstreams.count > before || !upstream.text.isEmpty else {
        return nil
      }
      let text = upstream.takeText()
      guard !text.isEmpty else { return nil }
      proxy.send(answer, to: upstream)
      return text
    }
  }

  @Test func faultsInThePlaceOfTheUpstreamSendItNothing() throws {
    let cases = [
      (#"{"kind":"refuse","status":503}"#, "HTTP/1.1 503 "),
      (#"{"kind":"status","status":418,"body":"{\"a\":1}"}"#, "HTTP/1.1 418 "),
      (#"{"kind":"portal"}"#, "HTTP/1.1 200 "), (#"{"kind":"redirect"}"#, "HTTP/1.1 302 "),
      (#"{"kind":"pretend"}"#, "HTTP/1.1 200 "),
    ]
    for (fault, start) in cases {
      let run = try Run(fault)
      #expect(try run.exchange() == nil, "\(fault)")
      #expect(run.client.text.hasPrefix(start), "\(fault): \(run.client.text)")
    }
    let run = try Run(#"{"kind":"pretend"}"#)
    _ = try run.exchange()
    #expect(run.client.text.contains(#"{"accepted":2,"duplicate":0,"quarantined":0}"#))
    let reset = try Run(#"{"kind":"reset"}"#)
    #expect(try reset.exchange() == nil)
    #expect(reset.client.text == "" && reset.client.ending == .reset)
  }

  private final class TimeList: AnswerJudge {
    let times = Mutex<[Int64]>([])

    func judge(_ answer: JudgedAnswer) { times.withLock { $0.append(answer.duration.wholeMilliseconds) } }
    var report: ClauseReport { ClauseReport(answers: times.withLock(\.count), lines: []) }
    func reset() {}
  }

  /// What a fault holds back before the upstream has it, or behind its answer, does not make the upstream slow.
  @Test(arguments: [("delay", true), ("delayAfterCommit", false)])
  func theTimeOfAFaultIsNotTheUpstreams(kind: String, isBefore: Bool) throws {
    let judge = TimeList()
    let proxy = try VirtualProxy(judge: judge)
    try proxy.setFaults(#"{"faults":[{"id":"f","fault":{"kind":"\#(kind)","time":"40s"},"match":{}}]}"#)
    let client = proxy.connect()
    proxy.send(Self.upload, to: client)
    if isBefore { proxy.pass(.seconds(40)) }
    proxy.pass(.milliseconds(7))
    proxy.send(Self.answer, to: try proxy.upstream)
    if !isBefore { proxy.pass(.seconds(40)) }
    #expect(client.text == Self.passed)
    #expect(judge.times.withLock { $0 } == [7])
  }

  @Test func faultsOfTheAnswerLetTheUpstreamHaveItsRequest() throws {
    let cases: [(String, (VirtualProxy.End) -> Bool)] = [
      (#"{"kind":"drop"}"#, { $0.text == "" && $0.ending == .atOnce }),
      (#"{"kind":"cut","bytes":20}"#, { $0.text == "HTTP/1.1 200 OK\r\nCon" && $0.ending == .reset }),
      (#"{"kind":"malformed"}"#, { $0.text.hasSuffix("Content-Length: 10\r\n\r\n{\"ok\":true") && !$0.isGone }),
      (#"{"kind":"wrongLength","by":5}"#, { $0.text.contains("Content-Length: 16\r\n") && $0.ending == .afterOutput }),
      (#"{"kind":"empty"}"#, { $0.text.hasSuffix("Content-Length: 0\r\n\r\n") && !$0.isGone }),
      (
        #"{"kind":"replace","status":500,"headers":{"X-A":"b"},"body":"no"}"#,
        {
          $0.text.hasPrefix("HTTP/1.1 500 ") && $0.text.contains("X-A: b\r\n") && $0.text.hasSuffix("\r\n\r\nno")
        }
      ),
    ]
    for (fault, isRight) in cases {
      let run = try Run(fault)
      #expect(try run.exchange()?.hasSuffix(Self.body) == true, "\(fault)")
      #expect(isRight(run.client), "\(fault): \(run.client.text), \(run.client.ending)")
    }
  }

  /// A byte behind a head that has no content would begin the next answer (RFC 9112 §6.3).
  @Test(arguments: [204, 304])
  func anAnswerWithoutContentGetsNone(status: Int) throws {
    let faults = [
      #"{"kind":"malformed"}"#, #"{"kind":"empty"}"#, #"{"kind":"wrongLength","by":5}"#,
      #"{"kind":"replace","status":\#(status)}"#,
    ]
    for fault in faults {
      let run = try Run(fault)
      #expect(try run.exchange(answer: "HTTP/1.1 \(status) X\r\nETag: \"a\"\r\n\r\n") != nil)
      let text = run.client.text
      #expect(text.hasPrefix("HTTP/1.1 \(status) ") && text.hasSuffix("\r\n\r\n"), "\(fault): \(text)")
      #expect(!text.contains("Content-Length"), "\(fault): \(text)")
    }
  }

  @Test func withoutItsRulesAProxyStreamsAgain() throws {
    let run = try Run(#"{"kind":"delay","time":"2s"}"#, match: #"{"tag":"slow"}"#)
    #expect(run.proxy.server.context.faults.board.clear(run: nil) == 1)
    run.proxy.send(String(Self.upload.dropLast(10)), to: run.client)
    #expect(try run.proxy.upstream.text.hasSuffix(String(Self.body.dropLast(10))))
    #expect(!run.proxy.server.context.faults.board.asksForTags)
  }

  @Test func delaysWaitBeforeOrBehindTheUpstream() throws {
    let before = try Run(#"{"kind":"delay","time":"2s"}"#)
    #expect(try before.exchange() == nil)
    before.proxy.pass(.milliseconds(1_999))
    #expect(before.proxy.upstreams.isEmpty)
    before.proxy.pass(.milliseconds(1))
    #expect(try before.proxy.upstream.takeText().hasSuffix(Self.body))
    before.proxy.send(Self.answer, to: try before.proxy.upstream)
    #expect(before.client.text == Self.passed)

    let behind = try Run(#"{"kind":"delayAfterCommit","time":"2s"}"#)
    #expect(try behind.exchange() != nil)
    behind.proxy.pass(.milliseconds(1_999))
    #expect(behind.client.text == "")
    behind.proxy.pass(.milliseconds(1))
    #expect(behind.client.takeText() == Self.passed)
    let slow = try Run(#"{"kind":"dribble","bytes":10,"every":"1s"}"#)
    _ = try slow.exchange()
    #expect(slow.client.text.utf8.count == 10)
    slow.proxy.pass(.seconds(3))
    #expect(slow.client.text.utf8.count == 40)
    slow.proxy.pass(.seconds(60))
    #expect(slow.client.text == Self.passed && !slow.client.isGone)
  }

  @Test func aPrefixIsWhatTheUpstreamGets() throws {
    let run = try Run(#"{"kind":"prefix","records":1}"#)
    let got = try #require(try run.exchange())
    #expect(
      got.contains("000000000001") && !got.contains("000000000002") && got.hasSuffix(#"],"device_id":"phone-1"}"#))
    let length = got.split(separator: "\r\n").first { $0.hasPrefix("Content-Length: ") }?.dropFirst(16)
    #expect(
      length.flatMap { Int($0) } == got.utf8.count
        - (try #require(got.firstRange(of: "\r\n\r\n"))).upperBound.utf16Offset(in: got))
    #expect(run.client.text == Self.passed)
  }

  @Test func rulesFindTheirDeviceInTheBodyAndCountRequests() throws {
    let other = try Run(#"{"kind":"status"}"#, match: #"{"device":"phone-2"}"#)
    #expect(try other.exchange() != nil)
    #expect(other.client.text == Self.passed)
    let third = try Run(#"{"kind":"drop"}"#, match: #"{"device":"phone-1","skip":2,"count":1}"#)
    for _ in 0..<2 {
      _ = try third.exchange()
      #expect(third.client.takeText() == Self.passed)
    }
    _ = try third.exchange()
    #expect(third.client.text == "" && third.client.isGone)
    let again = third.proxy.connect()
    third.proxy.send(Self.upload, to: again)
    third.proxy.send(Self.answer, to: try third.proxy.upstream)
    #expect(again.text == Self.passed)
  }

  @Test func tagsSelectDevices() throws {
    let run = try Run(#"{"kind":"status","status":507}"#, match: #"{"tag":"slow"}"#)
    _ = try run.exchange()
    #expect(run.client.takeText() == Self.passed)
    try run.proxy.administrate("PUT", "/admin/v1/devices/phone-1/tags", #"{"tags":["slow"]}"#)
    #expect(try run.exchange() == nil)
    #expect(run.client.text.hasPrefix("HTTP/1.1 507 "))
  }
}

extension VirtualProxy {
  func setFaults(_ text: String) throws { try administrate("PUT", "/admin/v1/faults", text) }

  @discardableResult
  func administrate(_ method: String, _ path: String, _ body: String = "") throws -> String {
    let connection = server.connect()
    let request =
      "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    let answer = String(decoding: connection.receive(request.utf8, at: now, wall: server.now), as: UTF8.self)
    try #require(answer.hasPrefix("HTTP/1.1 200 "), "\(answer)")
    return answer
  }
}
