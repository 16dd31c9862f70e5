import Gzip
import HTTP1
import JSON
import Support
import Testing

@testable import IngestServer

/// What the ledger says of records that met a fault, or came in another form (docs/proxy.md, "What became of a record").
@Suite struct ProxyLedgerTests {
  typealias Bench = ProxyServerTests.Bench

  private static func batch(_ numbers: ClosedRange<Int>) -> String {
    let records = numbers.map { number in
      #"{"uuid":"\#(ProxyServerTests.uuid(number))","timestamp":"2026-07-28T18:34:2\#(number).563Z","coords":{"latitude":1,"longitude":2,"accuracy":5}}"#
    }
    return #"{"location":[\#(records.joined(separator: ","))],"device_id":"phone-1"}"#
  }

  private static func setFault(_ fault: String, _ bench: Bench) throws {
    let answer = try bench.administrate("PUT", "/faults", #"{"faults":[{"id":"f","fault":\#(fault)}]}"#)
    #expect(answer.0 == 200, "\(answer)")
  }

  /// The backend gets the first records of the batch; of the others it knows nothing, although the client has a 2xx.
  @Test(arguments: [0, 1, 2]) func recordsThatAFaultKeepsBackAreNotAcknowledged(count: Int) throws {
    let bench = try Bench()
    defer { bench.stop() }
    try Self.setFault(#"{"kind":"prefix","records":\#(count)}"#, bench)
    #expect(try bench.request(bench.proxy.url, "POST", "/locations", Self.batch(1...3))?.0 == 200)
    for number in 1...3 {
      let state = number <= count ? "acknowledged 1 1 1 prefix" : "unanswered 1 0 0 prefix"
      #expect(try bench.account(number) == state, "record \(number)")
    }
    let verified = try bench.administrate("POST", "/verify", #"{"device":"phone-1","exactly":\#(count)}"#)
    #expect(verified.0 == 200, "\(verified)")
  }

  /// SDK §7.2.2: records are deleted on any 2xx, whatever the answer holds; a 2xx that is not whole is no answer.
  @Test(arguments: [
    (#"{"kind":"malformed"}"#, true), (#"{"kind":"empty"}"#, true), (#"{"kind":"replace","status":200}"#, true),
    (#"{"kind":"replace","status":204}"#, true), (#"{"kind":"wrongLength","by":-3}"#, true),
    (#"{"kind":"cut","bytes":60000}"#, true), (#"{"kind":"replace","status":500}"#, false),
    (#"{"kind":"replace","status":302}"#, false), (#"{"kind":"wrongLength","by":10}"#, false),
    (#"{"kind":"cut","bytes":60}"#, false), (#"{"kind":"drop"}"#, false),
  ])
  func anAnswerIsDeliveredWhenTheClientGetsAWhole2xx(fault: String, isDelivered: Bool) throws {
    let bench = try Bench()
    defer { bench.stop() }
    try Self.setFault(fault, bench)
    let client = try LoopbackClient(port: try bench.port(bench.proxy.url))
    let body = ProxyServerTests.record(1)
    try client.send(
      "POST /locations HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
    _ = try client.receiveToEnd()
    let account = try bench.account(1)
    #expect(account.hasPrefix(isDelivered ? "acknowledged 1 1 1 " : "undelivered 1 1 0 "), "\(fault): \(account)")
  }

  /// Pages of one record each, with names in which there is what separates the parts of a cursor.
  @Test func theSameUUIDOfTwoDevicesIsTwoRecords() throws {
    let backend = try BareServer { request in
      String(decoding: request.body, as: UTF8.self).contains("car.1")
        ? .ok("{}") : .text("HTTP/1.1 500 No\r\nContent-Length: 2\r\n\r\n{}")
    }
    let bench = try Bench(backend: backend.url)
    defer { bench.stop() }
    let names = ["car.1", "van.2.3", "ä.4"]
    for name in names {
      let record = ProxyServerTests.record(1).replacing("phone-1", with: name)
      #expect(
        try bench.request(bench.proxy.url, "POST", "/r/a.b/locations", record)?.0 == (name == "car.1" ? 200 : 500))
    }
    var found: [String] = []
    var cursor: String?
    repeat {
      let page = try bench.administrate("GET", "/ledger?limit=1" + (cursor.map { "&cursor=\($0)" } ?? "")).1
      found += (page["records"]?.elements ?? []).map { "\($0["device"]?.string ?? "") \($0["state"]?.string ?? "")" }
      cursor = page["next"]?.string?.replacing("ä", with: "%C3%A4")
    } while cursor != nil
    #expect(found == ["car.1 acknowledged", "van.2.3 refused", "ä.4 refused"])
    #expect(try bench.administrate("GET", "/ledger?cursor=00000000-0000-4000-8000-000000000001.9.a").0 == 400)
  }

  /// A phone without `maxBatchSize` sends all that it has.
  @Test func recordsOfALongBodyAreInTheLedger() throws {
    let backend = try BareServer { _ in .ok("{}") }
    let bench = try Bench(backend: backend.url)
    defer { bench.stop() }
    let records = (0..<10_001).map { number in
      #"{"uuid":"00000000-0000-4000-8000-\#(String(number + 100_000_000_000))","timestamp":"2026-07-28T18:34:22.563Z","coords":{"latitude":1,"longitude":2,"accuracy":5}}"#
    }
    let body = #"{"location":[\#(records.joined(separator: ","))],"device_id":"phone-1"}"#
    #expect(try bench.request(bench.proxy.url, "POST", "/locations", body)?.0 == 200)
    let last = try bench.administrate("GET", "/ledger?uuid=00000000-0000-4000-8000-100000010000").1["records"]?.elements
    #expect(last?.map { $0["state"] } == [.string("acknowledged")] && last?.first?["device"] == .string("phone-1"))
    let stored = try bench.administrate("POST", "/await", #"{"device":"phone-1","exactly":10001,"timeout":"60s"}"#)
    #expect(stored.0 == 200, "\(stored)")
  }

  /// The client sees that it has not the whole of it, and sends the record again.
  @Test func anAnswerThatBreaksOffIsNotDelivered() throws {
    let backend = try BareServer { _ in .close(Array("HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n{\"a\":1".utf8)) }
    let bench = try Bench(backend: backend.url)
    defer { bench.stop() }
    let client = try LoopbackClient(port: try bench.port(bench.proxy.url))
    let body = ProxyServerTests.record(1)
    try client.send("POST /locations HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
    _ = try client.receiveToEnd()
    #expect(try bench.account(1) == "undelivered 1 1 0 -")
  }

  /// An attempt is one whenever its records came, before the answer or behind it.
  @Test func recordsBehindAnEarlyAnswerAreInTheLedger() throws {
    let bench = try Bench()
    defer { bench.stop() }
    bench.upstream.stop()
    let client = try LoopbackClient(port: try bench.port(bench.proxy.url))
    let body = ProxyServerTests.record(1)
    let head = "POST /locations HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
    try client.send(head + body.prefix(9))
    var answer: [UInt8] = []
    while !String(decoding: answer, as: UTF8.self).contains("upstream_unreachable") {
      answer += try client.receiveSome(atMost: 4_096)
    }
    try client.send("\(body.dropFirst(9))GET /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
    #expect(try client.receiveToEnd().text.contains("upstream_unreachable"))
    #expect(try bench.account(1) == "unanswered 1 0 0 -")
    let list = try bench.administrate("GET", "/requests?operation=uploadLocations").1["requests"]?.elements ?? []
    #expect(list.map { $0["status"] } == [.integer(502)] && list.map { $0["device"] } == [.string("phone-1")])
  }

  /// "refused: the backend has answered, and never with 2xx": a connection that fails later does not take that back.
  @Test func anAnswerIsNotForgottenWhenTheNextOneIsMissing() throws {
    let backend = try BareServer { request in
      request.connection == 0
        ? .close(Array("HTTP/1.1 503 No\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}".utf8)) : .close([])
    }
    let bench = try Bench(backend: backend.url)
    defer { bench.stop() }
    #expect(try bench.upload(1)?.0 == 503)
    #expect(try bench.account(1) == "refused 1 0 0 -")
    #expect(try bench.upload(1)?.0 == 502)
    #expect(try bench.account(1) == "refused 2 0 0 -")
  }
}

/// Bodies in the coding gzip (RFC 9110 §8.4.1.3).
@Suite struct ProxyGzipTests {
  typealias Bench = ProxyServerTests.Bench

  private static func upload(_ body: [UInt8], coding: String, _ bench: Bench) throws {
    let client = try LoopbackClient(port: try bench.port(bench.proxy.url))
    let head =
      "POST /locations HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Encoding: \(coding)\r\nContent-Length: \(body.count)\r\n\r\n"
    try client.send(Array(head.utf8) + body)
    #expect(try client.receiveToEnd().text.hasPrefix("HTTP/1.1 200 "))
  }

  @Test(arguments: ["gzip", "x-gzip", "GZIP"]) func whatIsPackedIsInTheLedger(coding: String) throws {
    let backend = try BareServer { _ in .ok("{}") }
    let bench = try Bench(backend: backend.url)
    defer { bench.stop() }
    let packed = GzipFile.pack(Array(ProxyServerTests.record(1).utf8))
    try Self.upload(packed, coding: coding, bench)
    #expect(try bench.account(1) == "acknowledged 1 1 1 -")
    #expect(backend.requests.map(\.body) == [packed])
    let verified = try bench.administrate("POST", "/verify", #"{"device":"phone-1","exactly":1}"#)
    #expect(verified.0 == 200, "\(verified)")
  }

  /// What is no gzip, or holds more than a body may, passes unread.
  @Test func whatCannotBeUnpackedPasses() throws {
    let backend = try BareServer { _ in .ok("{}") }
    let bench = try Bench(backend: backend.url)
    defer { bench.stop() }
    let record = Array(ProxyServerTests.record(1).utf8)
    let bomb = record.dropLast() + [UInt8](repeating: UInt8(ascii: " "), count: 12 << 20) + [UInt8(ascii: "}")]
    let packed = GzipFile.pack(record)
    for (body, coding) in [
      (GzipFile.pack(Array(bomb)), "gzip"), (Array(packed.dropLast(4)), "gzip"), (packed, "br"), (packed, "gzip, gzip"),
    ] {
      try Self.upload(body, coding: coding, bench)
      #expect(try bench.account(1) == "nothing", "\(coding)")
    }
    #expect(backend.requests.count == 4)
  }

  /// A fault that keeps records back leaves a body that is packed as the head says.
  @Test func aPrefixOfAPackedBodyIsPacked() throws {
    let backend = try BareServer { _ in .ok("{}") }
    let bench = try Bench(backend: backend.url)
    defer { bench.stop() }
    let rule = #"{"faults":[{"id":"f","fault":{"kind":"prefix"},"match":{"device":"phone-1"}}]}"#
    #expect(try bench.administrate("PUT", "/faults", rule).0 == 200)
    let records = (1...2).map { number in
      #"{"uuid":"\#(ProxyServerTests.uuid(number))","timestamp":"2026-07-28T18:34:22.563Z","coords":{"latitude":1,"longitude":2}}"#
    }
    let body = #"{"location":[\#(records.joined(separator: ","))],"device_id":"phone-1"}"#
    try Self.upload(GzipFile.pack(Array(body.utf8)), coding: "gzip", bench)
    let passed = try GzipFile.unpack(try #require(backend.requests.first?.body), limit: 1_000)
    #expect(String(decoding: passed, as: UTF8.self) == body.replacing("," + records[1], with: ""))
    #expect(try bench.account(1) == "acknowledged 1 1 1 prefix")
    #expect(try bench.account(2) == "unanswered 1 0 0 prefix")
  }
}
