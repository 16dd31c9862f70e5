import Base
import CurlTransport
import JSON
import ServerSupport
import Sinks
import Support
import Synchronization
import Testing
import Threads

@testable import IngestServer

/// A whole server, a webhook, and what becomes of records between them.
@Suite(.timeLimit(.minutes(10))) struct ForwardingServerTests {
  private func server(
    _ hook: BareServer, data: String = ":memory:", fromStart: Bool = false, batch: Int = 50,
    notices: Notices = Notices()
  ) throws -> IngestServer {
    var configuration = ServerConfiguration.loopback(data: data, loops: 1)
    configuration.forwards = [WebhookSink.target("hook", WebhookSink.Settings(url: hook.url), records: batch)]
    configuration.forwardsFromStart = fromStart
    return try IngestServer(configuration) { notices.add($0) }
  }

  private final class Notices: Sendable {
    private let all = Mutex<[String]>([])
    func add(_ notice: ServerNotice) { all.withLock { $0.append(notice.message) } }
    var messages: [String] { all.withLock { $0 } }
  }

  @Test(arguments: [true, false])
  func whatIsStoredGoesOnInOrder(inMemory: Bool) throws {
    let folder = try TemporaryFolder()
    let receiver = Receiver()
    let hook = try receiver.serve()
    let server = try server(hook, data: inMemory ? ":memory:" : folder.file("data"))
    defer { server.stop() }
    let uploader = try Uploader(port: server.port)
    for part in 0..<20 {
      try uploader.upload(part * 10..<part * 10 + 10, of: 1)
      try uploader.upload(part * 10..<part * 10 + 10, of: 2, run: "nightly")
    }
    #expect(receiver.wait(for: 400))
    #expect(receiver.numbers(of: "device-1") == Array(0..<200) && receiver.numbers(of: "device-2") == Array(0..<200))
    #expect(receiver.taken.count == 400, "without failures nothing comes twice")
    #expect(receiver.taken.allSatisfy { $0.run == ($0.device == "device-2" ? "nightly" : "") })
  }

  /// By its id a receiver tells a repetition from another record: bytes and uuids come again from other devices, in other runs, and a uuid
  /// with another time.
  @Test func eachStoredRecordHasAnIdOfItsOwn() throws {
    let receiver = Receiver()
    let hook = try receiver.serve()
    let server = try server(hook)
    defer { server.stop() }
    let uploader = try Uploader(port: server.port)
    let coordinates = #""coords":{"latitude":45.5,"longitude":-73.5,"accuracy":5}"#
    let records = [
      "{\(coordinates)}",
      #"{"uuid":"\#(Uploader.uuid(1, 1))","timestamp":"2026-07-10T00:00:00.000Z",\#(coordinates)}"#,
      #"{"uuid":"\#(Uploader.uuid(1, 1))","timestamp":"2026-07-10T00:00:01.000Z",\#(coordinates)}"#,
    ]
    for path in ["/locations", "/r/a/locations"] {
      for device in ["caf\u{E9}", "cafe\u{301}", "a/b"] {
        for record in records { try uploader.post(path, #"{"device_id":"\#(device)","location":\#(record)}"#) }
      }
    }
    #expect(receiver.wait(for: 18))
    #expect(receiver.taken.count == 18)
    #expect(receiver.taken.contains { $0.id == "a/a%2Fb/1783641601000/\(Uploader.uuid(1, 1))" })
  }

  /// Answers of every bad kind, one after the other, and requests that were taken whose answer never came.
  @Test func failuresCostRepetitionsOnly() throws {
    let receiver = Receiver()
    let hook = try receiver.serve { number, _ in
      switch number {
      case 0: .text("HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n")
      case 2: .close(Array("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n".utf8))
      case 4: .text("HTTP/1.1 429 No\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n")
      default: nil
      }
    }
    let server = try server(hook, batch: 20)
    defer { server.stop() }
    let uploader = try Uploader(port: server.port)
    try uploader.upload(0..<100, of: 1)
    #expect(receiver.wait(for: 100))
    #expect(receiver.numbers(of: "device-1") == Array(0..<100))
    let metrics = try uploader.get("/metrics")
    #expect(metrics.contains(#"rollingroad_forward_retries_total{sink="hook"} 3"#))
  }

  /// Also what was tried before (docs/forwarding.md).
  @Test func whatIsDeletedWhileItWaitsDoesNotGoOn() throws {
    let (receiver, wasTried) = (Receiver(), Semaphore())
    let isOpen = Mutex(false)
    let hook = try receiver.serve { _, _ in
      if isOpen.withLock({ $0 }) { return nil }
      wasTried.signal()
      return .text("HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n")
    }
    let server = try server(hook, batch: 20)
    defer { server.stop() }
    let uploader = try Uploader(port: server.port)
    try uploader.upload(0..<2, of: 1)
    try #require(wasTried.wait(milliseconds: 60_000))
    #expect(try uploader.ask("DELETE", "/admin/v1/devices/device-1").hasPrefix("HTTP/1.1 200"))
    try uploader.upload(0..<3, of: 2)
    isOpen.withLock { $0 = true }
    #expect(receiver.wait(for: 3))
    #expect(receiver.taken.allSatisfy { $0.device == "device-2" }, "\(receiver.taken)")
  }

  @Test func aRefusedRecordIsPutAsideAndShown() throws {
    let receiver = Receiver()
    let hook = try receiver.serve { _, messages in
      messages.contains { $0.number == 13 } ? .text("HTTP/1.1 422 No\r\nContent-Length: 0\r\n\r\n") : nil
    }
    let folder = try TemporaryFolder()
    let notices = Notices()
    do {
      let server = try server(hook, data: folder.file("data"), notices: notices)
      defer { server.stop() }
      try Uploader(port: server.port).upload(0..<40, of: 1)
      #expect(receiver.wait(for: 39))
    }
    #expect(receiver.numbers(of: "device-1") == (0..<40).filter { $0 != 13 })
    #expect(notices.messages == ["'hook' refused 1 record for good (status 422), listed by GET /admin/v1/sinks"])
    // The end of the server has noted it.
    let server = try server(hook, data: folder.file("data"))
    defer { server.stop() }
    let shown = try Uploader(port: server.port).get("/admin/v1/sinks")
    #expect(shown.contains(#""uuid":"\#(Uploader.uuid(1, 13))","device":"device-1","run":"""#))
    #expect(shown.contains(#""reason":"status 422""#) && shown.contains(#""lag":0,"#))
    #expect(shown.contains(#""leads":true,"leader":null,"#))
  }

  /// The 16 in a row are those of the sink, not of a process.
  @Test func aRestartPutsNothingMoreAside() throws {
    let (folder, receiver) = (try TemporaryFolder(), Receiver())
    let isWaitedFor = Semaphore()
    let isOpen = Mutex(false)
    let hook = try receiver.serve { _, messages in
      if isOpen.withLock({ $0 }) { return nil }
      if messages.map(\.number) == [16] { isWaitedFor.signal() }
      return .text("HTTP/1.1 422 No\r\nContent-Length: 0\r\n\r\n")
    }
    for _ in 0..<2 {
      let server = try server(hook, data: folder.file("data"))
      defer { server.stop() }
      try Uploader(port: server.port).upload(0..<40, of: 1)
      try #require(isWaitedFor.wait(milliseconds: 60_000))
    }
    isOpen.withLock { $0 = true }
    let server = try server(hook, data: folder.file("data"))
    defer { server.stop() }
    #expect(receiver.wait(for: 24))
    #expect(receiver.numbers(of: "device-1") == Array(16..<40))
    let shown = try Uploader(port: server.port).get("/admin/v1/sinks?limit=16")
    #expect(shown.contains(#""refused":16,"#) && shown.split(separator: #""uuid""#).count == 17, "\(shown)")
  }

  @Test func aRestartGoesOnWhereItWas() throws {
    let folder = try TemporaryFolder()
    let receiver = Receiver()
    let hook = try receiver.serve()
    do {
      let server = try server(hook, data: folder.file("data"))
      try Uploader(port: server.port).upload(0..<100, of: 1)
      #expect(receiver.wait(for: 100))
      server.stop()
    }
    let server = try server(hook, data: folder.file("data"))
    defer { server.stop() }
    try Uploader(port: server.port).upload(100..<150, of: 1)
    #expect(receiver.wait(for: 150))
    #expect(
      receiver.taken.map(\.number) == Array(0..<150), "what was acknowledged before an orderly end is not sent again")
  }

  @Test func theLagIsShownWhileTheSinkIsAway() async throws {
    let receiver = Receiver()
    let isThere = Mutex(false)
    let hook = try receiver.serve { _, _ in
      isThere.withLock { $0 } ? nil : .text("HTTP/1.1 503 No\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n")
    }
    let server = try server(hook)
    defer { server.stop() }
    let uploader = try Uploader(port: server.port)
    try uploader.upload(0..<100, of: 1)
    await hook.comesTrue { !$0.requests.isEmpty }
    try uploader.upload(100..<200, of: 1)
    let metrics = try uploader.get("/metrics")
    #expect(metrics.contains(#"rollingroad_forward_lag_records{sink="hook"} 200"#))
    isThere.withLock { $0 = true }
    #expect(receiver.wait(for: 200))
    #expect(receiver.numbers(of: "device-1") == Array(0..<200))
  }
}
