import Base
import Contract
import Engine
import Host
import JSON
import Queue
import Scenario
import Testing
import Vocabulary

@testable import FleetSimulator
@testable import Oracle

/// A phone that stores another record than it tells its app, or none, is found out.
@Suite struct StoredRecordTests {
  /// Every field of the schema but those that the platforms write in their own ways is compared (SDK §5.1, §7.2.1).
  @Test(
    arguments: [
      (nil, ""), (#""latitude":1"#, #""latitude":1.0001"#), (#""longitude":2"#, #""longitude":-2"#),
      ("\"timestamp\":\"2026-", "\"timestamp\":\"2025-"),
      ("\"recorded_at\":\"2026-", "\"recorded_at\":\"2025-"),
      (#""age":30"#, #""age":0"#), (#""is_moving":true"#, #""is_moving":false"#),
      (#""odometer":500"#, #""odometer":1000"#),
      (#""event":"geofence","#, ""), (#""accuracy":5"#, #""accuracy":50"#),
      (#""speed":20"#, #""speed":-1"#),
      (#""heading":90"#, #""heading":91"#), (#""altitude":520"#, #""altitude":521"#),
      (#""altitude_accuracy":4"#, #""altitude_accuracy":5"#),
      (#""ellipsoidal_altitude":520"#, #""ellipsoidal_altitude":475"#), (#""type":"still""#, #""type":"walking""#),
      (#""confidence":75"#, #""confidence":100"#), (#""level":0.8"#, #""level":0.7"#),
      (#""is_charging":true"#, #""is_charging":false"#), (#""ENTER""#, #""EXIT""#),
      (#""depot""#, #""depot2""#),
      (#""k":1"#, #""k":2"#), (#""extras":{"z":[1,2]}"#, #""extras":{}"#),
    ] as [(String?, String)])
  func aStoredRecordHasTheValuesThatWereTold(text: String?, instead: String) throws {
    var epoch = RecordStyle.android
    epoch.timestampFormat = .epoch
    for style in [RecordStyle.iOS, .android, epoch] {
      let stage = try StoredRecordTests.phone(on: style == .iOS ? .ios : .android) {
        $0.persistence.timestampFormat = style.timestampFormat
      }
      let record = try StoredRecordTests.record(stage)
      var encoder = RecordEncoder(style: style)
      var bytes: [UInt8] = []
      encoder.append(record, to: &bytes)
      let stored = String(decoding: bytes, as: UTF8.self)
      let changed = text.map { stored.replacing($0, with: instead) } ?? stored
      insert(record, Array(changed.utf8), in: 1, stage)
      stage.event(.location(record))
      #expect(stage.violated.contains(.byteIdentity) == (changed != stored), "\(changed)")
      #expect(text == nil || changed != stored || style == epoch)
    }
  }

  /// An unknown altitude is 0 or left out, and its accuracy -1 (SDK §5.1).
  @Test(
    arguments: [
      (#""altitude":0,"altitude_accuracy":-1"#, false), (#""speed":1"#, false), (#""altitude_accuracy":-1"#, false),
      (#""altitude":520"#, true), (#""altitude_accuracy":4"#, true), (#""ellipsoidal_altitude":5"#, true),
    ])
  func anAltitudeThatIsNotKnown(text: String, isFound: Bool) throws {
    let stage = try StoredRecordTests.phone()
    var record = try StoredRecordTests.record(stage)
    (record.coords.altitude, record.coords.altitudeAccuracy, record.coords.ellipsoidalAltitude) = (nil, nil, nil)
    var encoder = RecordEncoder(style: .android)
    var bytes: [UInt8] = []
    encoder.append(record, to: &bytes)
    let stored = String(decoding: bytes, as: UTF8.self)
    let bare = stored.replacing(#","altitude_accuracy":-1"#, with: "")
    #expect(bare != stored)
    insert(record, Array(bare.replacing(#""speed":"#, with: text + #","speed":"#).utf8), in: 1, stage)
    stage.event(.location(record))
    #expect(stage.violated.contains(.byteIdentity) == isFound)
  }

  /// Identities are written in capitals on iOS and in small letters on Android (SDK §5.1).
  @Test(arguments: [RecordStyle.iOS, .android], [DevicePlatform.ios, .android])
  func anIdentityIsWrittenAsOnThePlatform(style: RecordStyle, platform: DevicePlatform) throws {
    let stage = try StoredRecordTests.phone(on: platform)
    let record = try StoredRecordTests.record(stage, uuid: UUID128(high: 0xabcd, low: 1))
    var encoder = RecordEncoder(style: style)
    var bytes: [UInt8] = []
    encoder.append(record, to: &bytes)
    insert(record, bytes, in: 1, stage)
    stage.event(.location(record))
    #expect(stage.violated.contains(.byteIdentity) == ((style == .iOS) != (platform == .ios)))
  }

  /// Records have the extras of the configuration, and a request may replace their values (SDK §5.1).
  @Test(arguments: [
    (#"{"z":[1,2]}"#, false), (#"{"z":0,"y":1}"#, false), (#"{"y":1}"#, true), ("{}", true),
  ])
  func aRecordHasTheExtrasOfTheConfiguration(extras: String, isFound: Bool) throws {
    let stage = try StoredRecordTests.phone()
    var record = try StoredRecordTests.record(stage)
    record.extras = try RenderedObject(extras)
    keep(record, in: 1, stage)
    stage.event(.location(record))
    #expect(stage.violated.contains(.byteIdentity) == isFound)
  }

  /// Times are texts, or numbers where the configuration says so (PersistenceConfig `timestampFormat`, SDK §2.6).
  @Test(arguments: TimestampFormat.allCases, TimestampFormat.allCases)
  func aRecordHasTheTimestampsOfTheConfiguration(configured: TimestampFormat, written: TimestampFormat) throws {
    let stage = try StoredRecordTests.phone { $0.persistence.timestampFormat = configured }
    let record = try StoredRecordTests.record(stage)
    var style = RecordStyle.android
    style.timestampFormat = written
    var encoder = RecordEncoder(style: style)
    var bytes: [UInt8] = []
    encoder.append(record, to: &bytes)
    insert(record, bytes, in: 1, stage)
    stage.event(.location(record))
    #expect(stage.violated.contains(.byteIdentity) == (configured != written))
  }

  enum Unheard: CaseIterable { case heard, unheard, poison, dead, firstOfAll }

  /// The app is told of each record that is stored, except for one that a fault has written (BGGeo 268).
  @Test(arguments: Unheard.allCases) func aRecordThatTheAppIsNotToldOf(_ unheard: Unheard) throws {
    let stage = try StoredRecordTests.phone()
    if unheard != .firstOfAll {
      let first = try StoredRecordTests.record(stage)
      keep(first, in: 1, stage)
      stage.event(.location(first))
    }
    stage.pass(seconds: 1)
    if unheard == .poison {
      var fault = DeviceFault()
      fault.poisonRecord = .textLatitude
      stage.begin(.device(fault))
      stage.end(.device(fault))
    }
    let record = stage.location(uuid: UUID128(high: 3, low: 1))
    keep(record, in: 2, stage)
    if unheard == .heard { stage.event(.location(record)) }
    if unheard == .dead { stage.tell(.killed(isReboot: false)) }
    stage.wait(1)
    #expect(stage.violated.contains(.conservation) == (unheard == .unheard))
  }

  enum Missing: CaseIterable {
    case stream, motionChange, fence
    case excludedByMode, queueOfNoLength, off, refused, repeated, sample, changedMode
  }

  /// A record that the mode does not exclude is kept, but for the position that the stream delivers behind its motion change (SDK §5.4,
  /// §7.3).
  @Test(arguments: Missing.allCases) func aRecordThatIsNotKept(_ missing: Missing) throws {
    let stage = try StoredRecordTests.phone {
      if missing == .excludedByMode { $0.persistence.persistMode = .geofence }
      if missing == .queueOfNoLength { $0.persistence.maxRecordsToPersist = 0 }
    }
    keep(try StoredRecordTests.record(stage), in: 1, stage)
    stage.pass(seconds: 1)
    var record = stage.location()
    switch missing {
    case .stream, .excludedByMode, .queueOfNoLength: break
    case .motionChange: record.event = .motionchange
    case .fence:
      record.geofence = GeofenceTrigger(
        identifier: "depot", action: .exit, timestamp: record.timestamp)
    case .off: stage.event(.enabledChange(isEnabled: false))
    case .refused: stage.tell(.queue(.refused(device: 0, .insertion)))
    case .repeated:
      var change = stage.location(uuid: UUID128(high: 3, low: 1))
      change.event = .motionchange
      keep(change, in: 2, stage)
      stage.event(.motionChange(change))
      stage.pass(seconds: 1)
    case .sample: record.isSample = true
    case .changedMode: stage.tell(.configured(Runs.configuration(.android)))
    }
    stage.event(.location(record))
    let isFound = stage.violated.contains(.conservation)
    #expect(isFound == [.stream, .motionChange, .fence].contains(missing))
  }

  /// The record of a motion change or a crossing names it (SDK §5.1).
  @Test func theRecordOfAnEventNamesIt() throws {
    let stage = try StoredRecordTests.phone()
    var record = stage.location(isMoving: true)
    stage.tell(.told(.engine(.motionChange(record))))
    #expect(stage.violated.contains(.motion))
    record.event = .geofence
    record.geofence = GeofenceTrigger(
      identifier: "other", action: .enter, timestamp: record.timestamp)
    stage.tell(.told(.engine(.geofence(record, Stage.depot))))
    #expect(stage.violated.contains(.geofence))
  }

  private static func phone(
    on platform: DevicePlatform = .android, _ configure: (inout Configuration) -> Void = { _ in }
  ) throws -> Stage {
    let stage = Stage(platform: platform) { configuration in
      configuration.persistence.extras = .object(["z": .array([.integer(1), .integer(2)])])
      configure(&configuration)
    }
    stage.pass(seconds: 10)
    stage.stay(0)
    stage.event(.enabledChange(isEnabled: true))
    stage.pass(seconds: 10)
    return stage
  }

  /// A record of a crossing with all fields.
  private static func record(_ stage: Stage, uuid: UUID128? = nil) throws -> LocationRecord {
    var record = stage.location(odometer: 500, uuid: uuid)
    (record.recordedAt, record.ageMilliseconds, record.odometerError) = (record.timestamp, 30, 10)
    record.event = .geofence
    (record.coords.accuracy, record.coords.speed, record.coords.heading) = (5, 20, 90)
    (record.coords.altitude, record.coords.altitudeAccuracy, record.coords.ellipsoidalAltitude) = (520, 4, 520)
    record.activity = Activity(.still, confidence: 75)
    record.battery = Battery(level: 0.8, isCharging: true)
    record.extras = try RenderedObject(#"{"z":[1,2]}"#)
    record.geofence = GeofenceTrigger(
      identifier: "depot", action: .enter, timestamp: record.timestamp,
      extras: try RenderedObject(#"{"k":1}"#))
    return record
  }

  private func keep(_ record: LocationRecord, in row: Int64, _ stage: Stage) {
    var encoder = RecordEncoder(style: .android)
    var bytes: [UInt8] = []
    encoder.append(record, to: &bytes)
    insert(record, bytes, in: row, stage)
  }

  private func insert(_ record: LocationRecord, _ bytes: [UInt8], in row: Int64, _ stage: Stage) {
    stage.tell(
      .queue(
        .inserted(device: 0, row: row, uuid: record.uuid, timestamp: record.timestamp, bytes: bytes)
      ))
  }
}
