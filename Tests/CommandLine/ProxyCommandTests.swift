import Base
import Glibc
import Gzip
import JSON
import Store
import Support
import Testing
import Threaded

@testable import CommandLine
@testable import IngestServer

/// `rollingroad proxy` as a program.
@Suite(.waits, .timeLimit(.minutes(10))) struct ProxyCommandTests {
  private static func start(_ upstream: String, data: String = ":memory:") throws -> SpokenChild {
    try SpokenChild([
      BuiltProgram.path(of: "rollingroad"), "proxy", "--upstream", upstream, "--listen", "127.0.0.1:0",
      "--admin-listen",
      "127.0.0.1:0", "--data", data, "--loops", "1",
    ])
  }

  private static func port(_ url: String) throws -> UInt16 {
    try #require(url.split(separator: ":").last.flatMap { UInt16($0) })
  }

  private static func get(_ url: String, _ path: String) throws -> String {
    let client = try LoopbackClient(port: try port(url))
    try client.send("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
    return try client.receiveToEnd().text
  }

  private static func record(_ number: Int) -> String {
    #"{"location":{"uuid":"00000000-0000-4000-8000-\#(String(number + 100_000_000_000))","timestamp":"2026-07-28T18:34:22.563Z","coords":{"latitude":1,"longitude":2,"accuracy":5}},"device_id":"phone-1"}"#
  }

  /// What the ledger has said once, it says after any end of the process.
  @Test func whatTheLedgerHasShownIsThereAfterKill9() throws {
    let upstream = try SpokenChild([
      BuiltProgram.path(of: "rollingroad"), "serve", "--listen", "127.0.0.1:0", "--data", ":memory:", "--loops", "1",
    ])
    defer { upstream.process.signal(SIGKILL) }
    let url = try upstream.line(beginningWith: "listening ")
    let folder = try TemporaryFolder()
    let first = try Self.start(url, data: folder.path)
    let traffic = try first.line(beginningWith: "listening ")
    let client = try LoopbackClient(port: try Self.port(traffic))
    for number in 0..<200 {
      let body = Self.record(number)
      try client.send("POST /locations HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
      var answer: [UInt8] = []
      while !String(decoding: answer, as: UTF8.self).contains("quarantined\":0}") {
        answer += try client.receiveSome(atMost: 4_096)
      }
    }
    // A question is answered behind everything that was recorded until then.
    let shown = try Self.get(try first.line(beginningWith: "administration "), "/admin/v1/ledger?limit=1000")
    first.process.signal(SIGKILL)
    _ = first.finish()
    let second = try Self.start(url, data: folder.path)
    defer { second.process.signal(SIGKILL) }
    let kept = try Self.get(try second.line(beginningWith: "administration "), "/admin/v1/ledger?limit=1000")
    func accounts(_ text: String) -> Int { text.split(separator: "\"uuid\"").count - 1 }
    #expect(accounts(shown) == 200 && accounts(kept) == 200)
    #expect(kept.split(separator: "\r\n\r\n").last == shown.split(separator: "\r\n\r\n").last)
  }

  /// 100 MiB, whose sender is much faster than the upstream.
  @Test func longBodiesTakeLittleMemory() throws {
    let sink = try SpokenChild(["/usr/bin/env", "python3", "-c", Self.slowSink])
    defer { sink.process.signal(SIGKILL) }
    let proxy = try Self.start("http://127.0.0.1:" + (try sink.line(beginningWith: "port ")))
    defer { proxy.process.signal(SIGKILL) }
    let client = try LoopbackClient(port: try Self.port(try proxy.line(beginningWith: "listening ")))
    let before = try Self.peak(of: proxy)
    let length = 100 * 1_048_576
    try client.send("POST /big HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nContent-Length: \(length)\r\n\r\n")
    let piece = [UInt8](repeating: 120, count: 1_048_576)
    for _ in 0..<100 { try client.send(piece) }
    var received = 0
    while received < length { received += try client.receiveSome(atMost: 1_048_576).count }
    // The first 10 MiB are kept to be read.
    #expect(try Self.peak(of: proxy) - before < 24_000_000)
  }

  /// Takes a body slowly at first, and answers with as much.
  private static let slowSink = """
    import socket, threading
    s = socket.create_server(("127.0.0.1", 0)); print("port", s.getsockname()[1], flush=True)
    c, _ = s.accept(); n = 100 * 1048576; got = b""
    while b"\\r\\n\\r\\n" not in got: got += c.recv(65536)
    left = n - (len(got) - got.index(b"\\r\\n\\r\\n") - 4)
    while left > 0:
        left -= len(c.recv(min(left, 65536)))
        if left > n * 0.8: threading.Event().wait(0.001)
    c.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: %d\\r\\n\\r\\n" % n)
    for _ in range(100): c.sendall(b"y" * 1048576)
    threading.Event().wait(60)
    """

  private static func peak(of child: SpokenChild) throws -> Int {
    guard let file = unsafe fopen("/proc/\(child.process.id)/status", "r") else {
      throw ChildProcess.Failure("the process \(child.process.id) has no status")
    }
    defer { unsafe fclose(file) }
    var buffer = [UInt8](repeating: 0, count: 16_384)
    let count = unsafe fread(&buffer, 1, buffer.count, file)
    let lines = String(decoding: buffer[..<count], as: UTF8.self).split(separator: "\n")
    let line = try #require(lines.first { $0.hasPrefix("VmHWM:") })
    return try #require(Int(line.filter(\.isNumber))) * 1_024
  }

  /// How often each clause was judged and broken, when a backend has given its answer to two records.
  private static func clauses(
    _ head: String, _ content: [UInt8], coding: String
  ) throws -> [Int64: [Int64]] {
    let answer = Array("HTTP/1.1 200 OK\r\n\(head)Content-Length: \(content.count)\r\n\r\n".utf8) + content
    let backend = try BareServer { _ in .keep(answer) }
    let proxy = try start(String(backend.url.dropLast()))
    defer { proxy.process.signal(SIGKILL) }
    let records = [1, 2].map { number in
      #"{"uuid":"00000000-0000-4000-8000-00000000000\#(number)","timestamp":"2026-07-28T18:34:22.563Z"}"#
    }
    let text = Array(#"{"location":[\#(records.joined(separator: ","))],"device_id":"phone-1"}"#.utf8)
    let body = coding == "gzip" ? GzipFile.pack(text) : text
    let port = try port(try proxy.line(beginningWith: "listening "))
    let client = try LoopbackClient(port: port)
    let request = "POST /locations HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Encoding: \(coding)\r\n"
    try client.send(Array("\(request)Content-Length: \(body.count)\r\n\r\n".utf8) + body)
    _ = try client.receiveToEnd()
    let report = try get(try proxy.line(beginningWith: "administration "), "/admin/v1/clauses")
    let json = report.split(separator: "\r\n\r\n", maxSplits: 1).last.map { Array($0.utf8) } ?? []
    let lines = try JSONValue(parsing: json.span)["clauses"]?.elements ?? []
    var found: [Int64: [Int64]] = [:]
    for line in lines {
      guard
        case (.integer(let number)?, .integer(let judged)?, .integer(let broken)?) = (
          line["number"], line["judged"], line["broken"]
        )
      else { continue }
      found[number] = [judged, broken]
    }
    return found
  }

  /// As the HTTP clients of phones do, which accept gzip.
  @Test func anAnswerInGzipIsJudgedByItsContent() throws {
    let json = "Content-Type: application/json\r\n"
    let packed = GzipFile.pack(Array(#"{"success":false,"accepted":1,"duplicate":0}"#.utf8))
    for (requests, answers) in [("gzip", "gzip"), ("identity", "x-gzip")] {
      let clauses = try Self.clauses(json + "Content-Encoding: \(answers)\r\n", packed, coding: requests)
      let found = [19, 20, 21].map { clauses[$0] ?? [] }
      #expect(found == [[1, 1], [1, 1], [1, 0]], "an error, one of two records, and JSON: \(clauses)")
    }
  }

  /// Another coding, a file that is damaged, and one that holds more than is kept.
  @Test func ofAnAnswerThatCannotBeReadOnlyTheHeadIsJudged() throws {
    let large = GzipFile.pack([UInt8](repeating: 0x20, count: 200_000))
    for (coding, content) in [
      ("br", [1]), ("gzip", [1]), ("gzip", large), ("identity", [UInt8](repeating: 32, count: 200_000)),
    ] {
      let head = "Content-Type: application/json\r\nContent-Encoding: \(coding)\r\n"
      let clauses = try Self.clauses(head, content, coding: "identity")
      #expect(clauses[7] == [1, 0], "a usual success, \(coding): \(clauses)")
      #expect((18...22).allSatisfy { clauses[$0] == nil }, "\(coding): \(clauses)")
    }
  }

  /// A device waits for 60 seconds (`http.timeout`), whatever the proxy does.
  @Test(
    arguments: [(nil, 60, 0), (nil, 61, 1), (.timeout, 59, nil), (.timeout, 60, 1)]
      as [(JudgedAnswer.Failure?, Int64, Int?)])
  func anAnswerIsInTimeWhenADeviceWaitsForIt(failure: JudgedAnswer.Failure?, seconds: Int64, broken: Int?) {
    let judge = ProxyJudge { _ in }
    judge.judge(
      JudgedAnswer(
        device: DeviceIdentity(name: "phone-1"), operation: .uploadLocations, url: "http://backend/", body: [],
        status: failure == nil ? 200 : 0, head: [], answer: [], failure: failure, duration: .seconds(seconds),
        endedAt: WallInstant(millisecondsSince1970: 1_785_264_000_000)))
    #expect(judge.report.lines.first { $0.number == 4 }?.broken == broken)
    judge.reset()
    #expect(judge.report.answers == 0 && judge.report.lines.isEmpty)
  }

  @Test func aProxyNeedsAnUpstreamThatItCanSpeakTo() throws {
    for (words, text) in [
      (["proxy"], "--upstream is missing"),
      (["proxy", "--upstream", "https://a"], "TLS to the upstream is not supported"),
      (["proxy", "--upstream", "a:3000"], "http://127.0.0.1:3000"),
    ] {
      let child = try SpokenChild([BuiltProgram.path(of: "rollingroad")] + words)
      #expect(child.finish() == 2 && child.output.contains(text), "\(child.output)")
    }
  }
}
