import Base
import Contract
import Engine
import JSON
import Queue
import Support
import Testing
import Upload
import Vocabulary

@testable import Host

/// What leaves the queue without an upload is told, with its reason.
@Suite struct DiscardTests {
  private func device(_ keys: String = "", url: String = "http://server.example/") throws -> TestHost {
    let device = try TestHost()
    try device.ready("{\"url\":\"\(url)\",\"heartbeatInterval\":-1,\"logLevel\":5\(keys)}")
    try device.startMoving()
    return device
  }

  private func discarded(_ device: TestHost) -> [(uuids: [UUID128], reason: DiscardReason)] {
    device.phone.events.compactMap { if case .discarded(let uuids, let reason) = $0 { (uuids, reason) } else { nil } }
  }

  private func inserted(_ device: TestHost) -> [UUID128] {
    device.phone.entries.compactMap { if case .inserted(let uuid, _, _, _) = $0 { uuid } else { nil } }
  }

  @Test func evictedRecordsAreNamedOldestFirst() throws {
    let device = try device(#","autoSync":false,"maxRecordsToPersist":5"#)
    try device.drive(10)
    try device.configure(#"{"maxRecordsToPersist":2}"#)
    let discarded = discarded(device)
    #expect(discarded.allSatisfy { $0.reason == .evicted })
    #expect(discarded.flatMap(\.uuids) == inserted(device).dropLast(2))
    #expect(discarded.last?.uuids.count == 3)
  }

  @Test func soAreExpiredOnes() throws {
    let device = try device(#","autoSync":false,"maxDaysToPersist":1"#)
    try device.drive(3)
    let uuids = try device.rows().map(\.uuid)
    device.pass(seconds: 86_410)
    try device.give(.foreground)
    #expect(discarded(device).map(\.uuids) == [uuids])
    #expect(discarded(device).map(\.reason) == [.expired])
  }

  @Test func soAreDestroyedOnes() throws {
    let device = try device(#","autoSync":false"#)
    try device.drive(3)
    let uuids = try device.rows().map(\.uuid)
    #expect(try device.modify { try $0.destroy(uuids[1], at: $1) })
    try device.modify { try $0.destroyAll(at: $1) }
    try device.modify { try $0.destroyAll(at: $1) }
    #expect(discarded(device).map(\.uuids) == [[uuids[1]], uuids.filter { $0 != uuids[1] }])
    #expect(discarded(device).allSatisfy { $0.reason == .destroyed })
  }

  @Test func soAreThoseThatASyncWithoutAURLTakesAway() throws {
    let device = try device(url: "")
    try device.drive(3)
    let uuids = try device.rows().map(\.uuid)
    try device.sync(1)
    try device.sync(2)
    #expect(discarded(device).map(\.uuids) == [uuids])
    #expect(discarded(device).map(\.reason) == [.destroyed])
  }

  /// Uploaded, discarded or waiting: each record is in exactly one place, whatever happens.
  @Test(arguments: 0..<25)
  func everyRecordHasOneFate(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let device = try device(",\"maxRecordsToPersist\":12,\"maxDaysToPersist\":1,\"maxBatchSize\":5")
    var taken = try device.sent.flatMap { try Self.uuids(in: $0) }
    var isWell = true
    device.server = { request in
      guard isWell else { return .status(503) }
      taken += try Self.uuids(in: request)
      return .status(200)
    }
    for _ in 0..<60 {
      isWell = generator.chance(0.4)
      try device.drive(1 + generator.index(below: 5))
      switch generator.index(below: 10) {
      case 0: try device.configure("{\"batchSync\":\(generator.chance(0.5))}")
      case 1: try device.configure("{\"maxRecordsToPersist\":\(1 + generator.index(below: 12))}")
      case 2: device.pass(seconds: 90_000)
      case 3: try device.give(.foreground)
      case 4: try device.modify { try $0.destroyAll(at: $1) }
      case 5:
        if let first = try device.rows().first?.uuid { #expect(try device.modify { try $0.destroy(first, at: $1) }) }
      default: break
      }
    }
    let fates = taken + discarded(device).flatMap(\.uuids) + (try device.rows().map(\.uuid))
    #expect(Set(fates).count == fates.count, "seed \(seed)")
    #expect(Set(fates).symmetricDifference(inserted(device)).isEmpty, "seed \(seed)")
    #expect(Set(discarded(device).map(\.reason)).count >= 2, "seed \(seed)")
  }

  private static func uuids(in request: OutgoingRequest) throws -> [UUID128] {
    let body = request.body
    let location = try JSONValue(parsing: body.span)["location"]
    let records: [JSONValue?] = if case .array(let batch)? = location { batch } else { [location] }
    return try records.map { record in
      guard case .string(let text)? = record?["uuid"], let uuid = UUID128(text: text.utf8.span) else { throw NoUUID() }
      return uuid
    }
  }

  private struct NoUUID: Error {}
}
