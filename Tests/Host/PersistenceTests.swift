import Base
import Contract
import Engine
import JSON
import Queue
import Testing
import Upload
import Vocabulary

@testable import Host

/// What waits in the queue, how it looks, and how long it stays (SDK §7).
@Suite struct PersistenceTests {
  /// A device that records and does not upload.
  private func device(_ keys: String = "") throws -> TestHost {
    let device = try TestHost()
    try device.ready("{\"url\":\"http://server.example/\",\"autoSync\":false,\"logLevel\":5\(keys)}")
    try device.startMoving()
    return device
  }

  @Test func aTemplateIsUsedFromTheNextRecordOn() throws {
    let device = try device()
    try device.drive(1)
    let before = try device.texts()
    try device.configure(#"{"locationTemplate":"{\"lat\":<%= latitude %>,\"what\":<%= odd %>1}","extras":{"trip":7}}"#)
    try device.drive(1)
    let texts = try device.texts()
    #expect(Array(texts.prefix(before.count)) == before)
    #expect(texts.last?.hasPrefix(#"{"lat":45.50"#) == true)
    #expect(texts.last?.hasSuffix(#""what":1,"trip":7}"#) == true)
    #expect(device.phone.entries.contains(.warning("Unknown template tag: odd", from: .configuration)))
    try device.configure(#"{"locationTemplate":"","timestampFormat":"epoch"}"#)
    try device.drive(1)
    #expect(try device.texts().last?.hasPrefix(#"{"timestamp":1785263"#) == true)
  }

  @Test func aTemplateThatIsNoJSONIsAnErrorAndTheRecordIsKept() throws {
    let device = try device(#","locationTemplate":"{<%= uuid %>}""#)
    #expect(try device.texts().allSatisfy { $0.hasPrefix(#"{"timestamp":""#) })
    let errors = device.phone.entries.filter { if case .error = $0 { true } else { false } }
    #expect(errors.count == device.host.queue.count)
  }

  @Test func theOldestGoWhenThereAreTooMany() throws {
    let device = try device(#","maxRecordsToPersist":5"#)
    try device.drive(10)
    let rows = try device.rows()
    #expect(rows.count == 5)
    try device.drive(1)
    #expect(try device.rows().first == rows[1])
    try device.configure(#"{"maxRecordsToPersist":2}"#)
    #expect(device.host.queue.count == 2)
    #expect(device.phone.entries.contains(.shrunk(max: 2, deleted: 3)))
    try device.configure(#"{"maxRecordsToPersist":0}"#)
    #expect(device.host.queue.count == 0)
    try device.drive(3)
    #expect(device.host.queue.count == 0)
  }

  @Test func rowsGrowOldHourByHour() throws {
    let device = try device(#","heartbeatInterval":-1,"maxDaysToPersist":1"#)
    try device.drive(3)
    try device.call(.stop)
    let count = device.host.queue.count
    #expect(device.host.nextDeadline != nil)
    try device.wait(seconds: 86_400 - 10)
    #expect(device.host.queue.count == count)
    try device.wait(seconds: 3_610)
    #expect(device.host.queue.count == 0)
    #expect(device.phone.entries.contains(.purged(count: count, days: 1)))
    #expect(device.host.nextDeadline == nil)
  }

  @Test func andAtStartAndResume() throws {
    for resumes in [true, false] {
      let device = try device(#","heartbeatInterval":-1"#)
      try device.drive(3)
      try device.call(.stop)
      // Time passes while no process is awake.
      device.pass(seconds: 86_410)
      if resumes {
        try device.give(.foreground)
      } else {
        try device.relaunch()
        try device.ready(#"{"reset":false}"#)
      }
      #expect(device.host.queue.count == 0, "\(resumes)")
    }
  }

  @Test(arguments: [0, -1, 99_999_999])
  func withoutALimitNothingGrowsOld(days: Int) throws {
    let device = try device(",\"maxDaysToPersist\":\(days)")
    let count = device.host.queue.count
    device.pass(seconds: 40 * 86_400)
    try device.give(.foreground)
    #expect(device.host.queue.count >= count)
  }

  // What an app does with the queue.

  @Test func anInsertedRecordIsStoredAsItIsAndUploaded() throws {
    let device = try TestHost()
    try device.ready(#"{"url":"http://server.example/","persistMode":0}"#)
    let record: JSONObject = [
      "coords": .object(["latitude": .integer(1), "longitude": .integer(2)]), "x": .integer(3),
    ]
    let uuid = UUID128(high: 1, low: 2)
    #expect(try device.modify { try $0.insert(record, uuid: uuid, at: $1) } == uuid)
    let expected =
      #"{"location":{"coords":{"latitude":1,"longitude":2},"x":3,"uuid":"00000000-0000-0001-0000-000000000002"}}"#
    #expect(device.sent.map(\.text) == [expected])
    #expect(throws: FieldError("coords.latitude", .missing)) {
      try device.modify { try $0.insert(["x": .null], uuid: uuid, at: $1) }
    }
  }

  @Test func itsTimeIsItsOwn() throws {
    let device = try device()
    let record: JSONObject = [
      "coords": .object(["latitude": .integer(1), "longitude": .integer(2)]),
      "uuid": .string("11111111-1111-4111-8111-111111111111"), "timestamp": .string("2020-01-02T03:04:05.000Z"),
    ]
    let uuid = try device.modify { try $0.insert(record, uuid: UUID128(high: 0, low: 0), at: $1) }
    #expect(uuid == UUID128(high: 0x1111_1111_1111_4111, low: 0x8111_1111_1111_1111))
    #expect(try device.rows().last?.timestamp == WallInstant(millisecondsSince1970: 1_577_934_245_000))
  }

  @Test func recordsCanBeDestroyed() throws {
    let device = try device()
    let uuid = try #require(try device.rows().first?.uuid)
    #expect(try device.modify { try $0.destroy(uuid, at: $1) })
    #expect(try !device.modify { try $0.destroy(uuid, at: $1) })
    try device.drive(2)
    try device.modify { try $0.destroyAll(at: $1) }
    #expect(device.host.queue.count == 0)
  }

  @Test func wiFiReleasesWhatCellularHeldBack() throws {
    let device = try TestHost()
    try device.give(.connectivity(.cellular))
    try device.ready(#"{"url":"http://server.example/","disableAutoSyncOnCellular":true}"#)
    try device.startMoving()
    try device.drive(3)
    #expect(device.sent.isEmpty)
    try device.give(.connectivity(.wifi))
    #expect(device.host.queue.count == 0)
  }
}
