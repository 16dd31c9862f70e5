import Base
import Glibc
import ServerSupport
import Store
import Support
import Testing

@testable import IngestServer

/// A client that asks for a long history and then does not read costs a few pages, whatever the history's length.
@Suite struct SlowReaderTests {
  private static let rows = 200_000

  /// A month of a device, a record every thirteen seconds, each of about 500 bytes.
  private static func fill(_ folder: String) throws {
    let store = try SQLiteStore(StoreConfiguration(folder: folder))
    let record = Array(#"{"lat":45.5,"lng":-122.5,"note":"\#(String(repeating: "x", count: 460))"}"#.utf8)
    let start = WallInstant(millisecondsSince1970: 1_780_000_000_000)
    let now = start.advanced(byMilliseconds: 40 * 86_400_000)
    for batch in stride(from: 0, to: rows, by: 5_000) {
      let points = (batch..<batch + 5_000).map { number in
        Point(
          recordedAt: start.millisecondsSince1970 + Int64(number) * 13_000, uuid: UUID128(high: 7, low: UInt64(number)),
          latitude: 45.5, longitude: -122.5, record: 0..<record.count)
      }
      let job = StoreJob.ingest(
        IngestBatch(
          device: DeviceIdentity(name: "car"), receivedAt: start, bytes: record, points: points))
      precondition(store.apply([job], now: now) == [.ingested(IngestReceipt(accepted: 5_000))], "the store takes it")
      while store.maintain(now: now) {}
    }
    store.close()
  }

  private static func residentBytes() throws -> Int {
    let text = try String(decoding: Self.contents(of: "/proc/self/status"), as: UTF8.self)
    let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("VmRSS:") })
    return try #require(Int(line.filter { $0.isNumber })) * 1_024
  }

  private static func contents(of path: String) throws -> [UInt8] {
    let descriptor = unsafe open(path, O_RDONLY)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = unsafe read(descriptor, &buffer, buffer.count)
    return Array(buffer[..<max(0, count)])
  }

  @Test func tenSlowReadersOfALongHistoryCostLessThanSixteenMegabytes() async {
    await #expect(processExitsWith: .success) {
      let folder = try TemporaryFolder()
      try Self.fill(folder.path)
      let server = try IngestServer(.loopback(data: folder.path, loops: 1))
      let path = "/admin/v1/devices/car/locations?format=ndjson"
      // A part of the history pays for buffers and caches that are paid once.
      let part = try Curl.line("--fail '\(server.url)\(path)&to=1780065000000'")
      #expect(part.split(separator: "\n").count == 5_000)
      let before = try Self.residentBytes()
      let slow = try (0..<10).map { _ in
        let client = try LoopbackClient(port: server.port, receiveBuffer: 131_072)
        try client.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(try client.receiveText(15) == "HTTP/1.1 200 OK")
        return client
      }
      // The honest client's questions queue behind the pages of the others, so those have been read when it is done.
      let clock = SystemClock()
      var slowest = Nanoseconds.zero
      let honest = try LoopbackClient(port: server.port)
      for _ in 0..<200 {
        let start = clock.monotonicNow
        try honest.send("GET /admin/v1/devices/car HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(try honest.receiveText(15) == "HTTP/1.1 200 OK")
        slowest = max(slowest, clock.monotonicNow - start)
        _ = try honest.receive(try Self.rest(of: honest))
      }
      let grown = try Self.residentBytes() - before
      #expect(grown < 16 << 20, "\(grown) bytes more for \(slow.count) readers")
      #expect(slowest < .seconds(1), "an honest client waited \(slowest.wholeMilliseconds) ms")
      // One of them wakes up and gets everything to the last record.
      slow[0].shutdownOutput()
      let text = try slow[0].receiveToEnd().text
      #expect(text.hasSuffix("\r\n0\r\n\r\n"))
      #expect(text.utf8.count > Self.rows * 500)
      for client in slow + [honest] { client.close() }
      server.stop()
    }
  }

  /// Reads on to the end of the head and says how long the body is.
  private static func rest(of client: LoopbackClient) throws -> Int {
    var head = ""
    while !head.hasSuffix("\r\n\r\n") { head += try client.receiveText(1) }
    let line = try #require(head.split(separator: "\r\n").first { $0.hasPrefix("Content-Length: ") })
    return try #require(Int(line.dropFirst(16)))
  }
}
