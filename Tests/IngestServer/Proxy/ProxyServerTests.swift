import Base
import HTTP1
import JSON
import Network
import ServerSupport
import Support
import Synchronization
import Testing

@testable import IngestServer

/// A proxy with its sockets and threads, in front of a server of ours.
@Suite(.timeLimit(.minutes(10))) struct ProxyServerTests {
  final class Bench {
    let upstream: IngestServer
    let proxy: ProxyServer

    /// In front of another backend, where a URL is given.
    init(data: String = ":memory:", backend url: String? = nil, judge: (any AnswerJudge)? = nil) throws {
      upstream = try IngestServer(Self.configuration(":memory:"))
      var configuration = ProxyConfiguration(try UpstreamTarget(parsing: url ?? upstream.url))
      configuration.listen = "127.0.0.1:0"
      configuration.administration = Self.configuration(data)
      proxy = try ProxyServer(configuration, judge: judge)
    }

    private static func configuration(_ data: String) -> ServerConfiguration {
      .loopback(data: data, loops: 1)
    }

    func stop() {
      proxy.stop()
      upstream.stop()
    }

    func port(_ url: String) throws -> UInt16 {
      try #require(url.split(separator: ":").last.flatMap { UInt16($0) })
    }

    /// Nil when the connection ended without an answer.
    func request(_ url: String, _ method: String, _ path: String, _ body: String = "") throws -> (Int, JSONValue)? {
      let client = try LoopbackClient(port: try port(url))
      try client.send(
        "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
      )
      let text = try client.receiveToEnd().text
      guard !text.isEmpty else { return nil }
      var collector = ResponseCollector(to: .get)
      let bytes = Array(text.utf8)
      _ = try collector.take(bytes.span)
      return (collector.head.status, try JSONValue(parsing: collector.body.span))
    }

    func upload(_ number: Int) throws -> (Int, JSONValue)? {
      try request(proxy.url, "POST", "/locations", ProxyServerTests.record(number))
    }

    func administrate(_ method: String, _ path: String, _ body: String = "") throws -> (Int, JSONValue) {
      try #require(try request(proxy.administrationURL, method, "/admin/v1" + path, body))
    }

    /// State, attempts, acknowledgements and deliveries.
    func account(_ number: Int) throws -> String {
      let records = try administrate("GET", "/ledger?uuid=\(ProxyServerTests.uuid(number))").1["records"]
      guard case .array(let list)? = records, let record = list.first else { return "nothing" }
      func text(_ key: String) -> String {
        switch record[key] {
        case .string(let text)?: text
        case .integer(let number)?: "\(number)"
        default: "-"
        }
      }
      return ["state", "attempts", "acknowledgements", "deliveries", "fault"].map(text).joined(separator: " ")
    }
  }

  static func uuid(_ number: Int) -> String { "00000000-0000-4000-8000-00000000000\(number)" }

  static func record(_ number: Int) -> String {
    #"{"location":{"uuid":"\#(uuid(number))","timestamp":"2026-07-28T18:34:2\#(number).563Z","coords":{"latitude":1,"longitude":2,"accuracy":5}},"device_id":"phone-1"}"#
  }

  /// What is kept is what its own receipts say.
  @Test func aRecordThatComesAgainIsCountedAsADuplicate() throws {
    let bench = try Bench()
    defer { bench.stop() }
    for number in [1, 2, 1] { #expect(try bench.upload(number)?.0 == 200) }
    func count(_ fate: String, _ number: Int) throws -> Bool {
      try Curl.run([bench.proxy.administrationURL + "/metrics"]).contains(
        "\nrollingroad_records_total{fate=\"\(fate)\"} \(number)\n")
    }
    // Its store may still be at work behind the last answer.
    while try !count("duplicate", 1) { try #require(!Task.isCancelled, "not within the time limit") }
    #expect(try count("accepted", 2) && count("quarantined", 0))
  }

  @Test func theLedgerTellsWhatBecameOfEachRecord() throws {
    let bench = try Bench()
    defer { bench.stop() }
    #expect(try bench.upload(1)?.0 == 200)
    let rules = [
      #"{"id":"a","fault":{"kind":"drop"},"match":{"count":1}}"#,
      #"{"id":"b","fault":{"kind":"pretend"},"match":{"count":1}}"#,
    ]
    #expect(try bench.administrate("PUT", "/faults", #"{"faults":[\#(rules.joined(separator: ","))]}"#).0 == 200)
    #expect(try bench.upload(2) == nil)
    #expect(try bench.account(2) == "undelivered 1 1 0 drop")
    #expect(try bench.upload(3)?.0 == 200)
    #expect(try bench.account(3) == "unanswered 1 0 0 pretend")
    #expect(try bench.upload(2)?.0 == 200)
    #expect(try bench.account(2) == "acknowledged 2 2 1 drop")
    #expect(try bench.account(1) == "acknowledged 1 1 1 -")
    bench.upstream.stop()
    #expect(try bench.upload(4)?.0 == 502)
    #expect(try bench.account(4) == "unanswered 1 0 0 -")
    let counts = try bench.administrate("POST", "/verify", #"{"device":"phone-1","exactly":2}"#)
    #expect(counts.0 == 200, "\(counts)")
  }

  @Test func anIdleConnectionDoesNotHoldUpTheEnd() throws {
    let bench = try Bench()
    defer { bench.upstream.stop() }
    let client = try LoopbackClient(port: try bench.port(bench.proxy.url))
    try client.send("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
    _ = try client.receiveSome(atMost: 65_536)
    bench.proxy.stop(within: 3_600)
    #expect(bench.proxy.loops.figures.reduce(0) { $0 + $1.closed(.drained) } == 1)
  }

  @Test func waitsAndListsAreThoseOfTheServer() throws {
    let bench = try Bench()
    defer { bench.stop() }
    _ = try bench.upload(1)
    #expect(try bench.administrate("POST", "/await", #"{"device":"phone-1","atLeast":1,"timeout":"10s"}"#).0 == 200)
    let requests = try bench.administrate("GET", "/requests?operation=uploadLocations").1["requests"]
    guard case .array(let list)? = requests else { return #expect(Bool(false), "\(String(describing: requests))") }
    #expect(list.count == 1 && list[0]["device"] == "phone-1" && list[0]["status"] == .integer(200))
  }

  /// The log shows what the backend answered, and after a reset nothing that was sent to no one.
  @Test(arguments: [("reset", 444, false), ("drop", 200, true)])
  func theLogShowsTheAnswerOfTheBackend(fault: String, status: Int64, isAnswered: Bool) throws {
    let bench = try Bench()
    defer { bench.stop() }
    #expect(try bench.administrate("PUT", "/faults", #"{"faults":[{"id":"f","fault":{"kind":"\#(fault)"}}]}"#).0 == 200)
    let client = try LoopbackClient(port: try bench.port(bench.proxy.url))
    let body = Self.record(1)
    try client.send("POST /locations HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
    _ = try client.receiveToEnd()
    let list = try bench.administrate("GET", "/requests").1["requests"]?.elements ?? []
    #expect(list.map { $0["status"] } == [.integer(status)] && list.map { $0["fault"] } == [.string(fault)])
    #expect(list.map { $0["answer"]?.string?.contains("accepted") ?? false } == [isAnswered])
  }

  private final class ResetCount: AnswerJudge {
    let resets = Atomic(0)

    func judge(_ answer: JudgedAnswer) {}
    var report: ClauseReport { ClauseReport(answers: 0, lines: []) }
    func reset() { resets.add(1, ordering: .relaxed) }
  }

  /// They are those of all runs.
  @Test func aResetOfEverythingForgetsTheClauses() throws {
    let judge = ResetCount()
    let bench = try Bench(judge: judge)
    defer { bench.stop() }
    #expect(try bench.administrate("POST", "/reset?run=a").0 == 200)
    #expect(judge.resets.load(ordering: .relaxed) == 0)
    #expect(try bench.administrate("POST", "/reset").0 == 200)
    #expect(judge.resets.load(ordering: .relaxed) == 1)
  }

  @Test func whatHasNoMeaningIsSaidSo() throws {
    let bench = try Bench()
    defer { bench.stop() }
    for (method, path) in [
      ("POST", "/commands"), ("GET", "/devices/a/commands"), ("POST", "/tokens/revoke"), ("GET", "/devices/a/logs"),
    ] {
      let answer = try bench.administrate(method, path, "{}")
      #expect(answer.0 == 404 && answer.1["error"]?["code"] == "not_in_a_proxy", "\(path): \(answer)")
    }
    let upload = try #require(try bench.request(bench.proxy.administrationURL, "POST", "/locations", Self.record(1)))
    #expect(upload.0 == 404 && upload.1["error"]?["code"] == "not_in_a_proxy")
    let ledger = try #require(try bench.request(bench.upstream.url, "GET", "/admin/v1/ledger"))
    #expect(ledger.0 == 404 && ledger.1["error"]?["code"] == "only_in_a_proxy")
  }

  /// The path of the backend's own administration is the backend's.
  @Test func everyPathOfTheFirstAddressIsTheUpstreams() throws {
    let bench = try Bench()
    defer { bench.stop() }
    _ = try bench.upload(1)
    let devices = try #require(try bench.request(bench.proxy.url, "GET", "/admin/v1/devices"))
    #expect(devices.0 == 200 && devices.1["devices"] != nil)
  }

  /// An address of one link needs an interface, which the URL does not name.
  @Test func anUpstreamThatCannotBeConnectedToIsTold() throws {
    let bench = try Bench(backend: "http://[fe80::1]:9")
    defer { bench.stop() }
    #expect(try #require(try bench.upload(1)).0 == 502)
  }

  @Test func upstreamsThatCannotBeAreRefusedWithAReason() {
    for (text, words) in [
      ("https://a", "TLS"), ("ftp://a", "http://127.0.0.1:3000"), ("http://a:0", "port"), ("http://a:x", "port"),
      ("http://", "host"), ("http://[::1", "host"), ("http://[]:80", "host"), ("http://::1:80", "brackets"),
      ("http://a:+80", "port"), ("http://a?b", "query"), ("http://u@a", "http://127.0.0.1:3000"),
      ("http://a/<tenant>", "\"<\""), ("http://a/x y", "\" \""), ("http://a/\"", "%3C"), ("http://a/é", "\"é\""),
    ] {
      do throws(UpstreamTarget.Problem) {
        _ = try UpstreamTarget(parsing: text)
        Issue.record("\(text) is taken")
      } catch { #expect(error.description.contains(words), "\(text): \(error.description)") }
    }
  }
}
