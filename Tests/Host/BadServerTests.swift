import Contract
import Engine
import Queue
import Support
import Testing
import Upload
import Vocabulary

@testable import Host

/// A server that answers badly: the queue goes by SDK §9.
@Suite struct BadServerTests {
  private func device(_ outcome: RequestOutcome?) throws -> TestHost {
    let device = try TestHost()
    device.server = { _ in outcome }
    try device.ready("{\"url\":\"http://server.example/\",\"heartbeatInterval\":-1}")
    try device.startMoving()
    return device
  }

  @Test(arguments: [300, 301, 304, 307, 400, 401, 404, 409, 413, 422, 429, 500, 503])
  func whatIsRefusedStaysAtTheHeadAndIsTriedAtEveryRecord(status: Int) throws {
    let device = try device(.status(status, "<html>no</html>"))
    try device.drive(5)
    #expect(Set(device.sent.map(\.text)).count == 1)
    #expect(device.sent.count >= 6)
    #expect(device.httpStatuses.allSatisfy { $0 == status })
    device.server = { _ in .status(201) }
    try device.give(.foreground)
    #expect(device.host.queue.count == 0)
  }

  @Test(arguments: ["", "<html>", "{", "{\"background_geolocation\":", "\u{0}", "null", "[[]]"])
  func aSuccessWithAnyBodyDeletes(body: String) throws {
    let device = try device(.status(200, body))
    try device.drive(3)
    #expect(device.host.queue.count == 0)
  }

  @Test(arguments: TransportFailure.allCases)
  func aDeadNetworkIsTriedEveryTenRecords(failure: TransportFailure) throws {
    let device = try device(.failed(failure, message: "dead"))
    let before = device.sent.count
    try device.drive(40)
    #expect(device.sent.count == before + 4)
    #expect(device.httpStatuses.allSatisfy { $0 == 0 })
  }

  /// HttpConfig: records that failed are retried when the app resumes or the device reboots, whatever the threshold.
  @Test(arguments: [true, false])
  func theNextLaunchRetriesWhatHasFailedBelowTheThreshold(hasFailed: Bool) throws {
    let device = try TestHost()
    device.server = { _ in .status(500) }
    // The only record is that of a motion change, which is tried at once where there is a url.
    let url = hasFailed ? "http://server.example/" : ""
    try device.ready(#"{"url":"\#(url)","autoSyncThreshold":10}"#)
    try device.call(.start)
    try device.call(.stop)
    #expect(device.sent.count == (hasFailed ? 1 : 0) && device.host.queue.count == 1)
    try device.configure(#"{"url":"http://server.example/"}"#)
    try device.relaunch()
    try device.ready(#"{"reset":false}"#)
    #expect(device.sent.count == (hasFailed ? 1 : 0))
    // What is sent is over: the launch after that has nothing to retry.
    device.server = { _ in .status(200) }
    try device.sync(1)
    #expect(device.host.queue.count == 0)
    try device.relaunch()
    #expect(!device.host.uploader.isRetryDue)
  }

  @Test func silenceIsEndedByTheWatchdog() throws {
    let device = try device(nil)
    #expect(device.sent.count == 1)
    try device.wait(seconds: 64)
    #expect(device.httpStatuses == [])
    // As after any request without an answer, the tenth record tries again.
    try device.drive(10)
    #expect(device.httpStatuses == [0])
    #expect(device.sent.count == 2)
    #expect(device.sent[0].body == device.sent[1].body)
    // The first answer is stale; the rows of the second flush are not touched.
    let count = device.host.queue.count
    try device.answerLate(.status(200))
    #expect(device.host.queue.count == count)
    device.server = { _ in .status(200) }
    try device.answerLate(.status(200))
    #expect(device.host.queue.count == 0)
  }

  /// Whatever happens, in the end every record that was kept has been taken by the server, each at least once.
  @Test(arguments: 0..<25)
  func whenTheServerHealsEverythingDrains(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let device = try TestHost(seed % 2 == 0 ? .ios : .android)
    var taken: Set<String> = []
    var isHealed = false
    device.server = { request -> RequestOutcome? in
      guard request.purpose == .records else {
        return .status(isHealed || generator.chance(0.5) ? 200 : 400, #"{"access_token":"n"}"#)
      }
      func take() { taken.formUnion(request.uuids) }
      if isHealed || generator.chance(0.3) {
        take()
        return .status(200)
      }
      switch generator.index(below: 6) {
      case 0: return nil
      case 1: return .failed(.reset, message: "")
      case 2:
        // Committed, and the answer is lost.
        take()
        return .failed(.timeout, message: "")
      case 3: return .status(401)
      case 4: return .status(403, #"{"background_geolocation":[["setConfig",{"autoSyncThreshold":3}]]}"#)
      default: return .status(500)
      }
    }
    try device.ready(
      """
      {"url":"http://server.example/","batchSync":\(generator.chance(0.5)),"maxBatchSize":\(generator.index(below: 4)),
       "authorization":{"accessToken":"a","refreshUrl":"http://server.example/refresh"},"stopOnTerminate":false}
      """)
    try device.startMoving()
    var kept: Set<String> = []
    var seen: Set<String> = []
    for _ in 0..<60 {
      try device.drive(1 + generator.index(below: 3))
      kept.formUnion(try device.texts().filter { seen.insert($0).inserted }.compactMap(\.uuid))
      switch generator.index(below: 12) {
      case 0: try device.give(.connectivity(.none))
      case 1...3: try device.give(.connectivity(.cellular))
      case 4: try device.wait(seconds: Double(generator.index(below: 100)))
      case 5: try device.sync(1)
      case 6:
        try device.relaunch()
        try device.ready(#"{"reset":false}"#)
      default: break
      }
    }
    isHealed = true
    try device.wait(seconds: 70)
    try device.give(.connectivity(.none))
    try device.give(.connectivity(.wifi))
    try device.sync(2)
    #expect(device.host.queue.count == 0, "seed \(seed)")
    #expect(kept.isSubset(of: taken), "seed \(seed): \(kept.subtracting(taken).count) lost")
    #expect(kept.count > 20, "seed \(seed)")
  }
}

extension String {
  /// The text behind `"uuid":"`.
  fileprivate var uuid: String? { uuids.first }

  fileprivate var uuids: [String] {
    let mark = Array("\"uuid\":\"".utf8)
    let bytes = Array(utf8)
    var (found, start) = ([String](), 0)
    while start + mark.count <= bytes.count {
      // Most bytes are no quote, and need no closer look.
      if bytes[start] == mark[0], bytes[start...].starts(with: mark) {
        found.append(String(decoding: bytes[(start + mark.count)...].prefix(36), as: UTF8.self))
      }
      start += 1
    }
    return found
  }
}

extension OutgoingRequest {
  fileprivate var uuids: [String] { text.uuids }
}
