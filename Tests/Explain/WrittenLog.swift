import Base
import Contract
import DeviceLog
import Vocabulary

/// A log that our own device writes, entry by entry, two hours east of UTC.
struct WrittenLog {
  private(set) var bytes: [UInt8] = []
  let platform: DevicePlatform
  private(set) var now = WrittenLog.start
  private let text: LogText
  private var records: UInt64 = 0

  static let start = WallInstant(millisecondsSince1970: 1_785_249_226_653)
  static let offsetMinutes = 120

  init(_ platform: DevicePlatform) {
    self.platform = platform
    text = LogText(platform: platform, utcOffsetMinutes: WrittenLog.offsetMinutes)
  }

  /// The uuid of the n-th record, from 1.
  static func uuid(_ number: UInt64) -> UUID128 { UUID128(high: 7, low: number) }

  mutating func wait(_ milliseconds: Int64) { now = now.advanced(byMilliseconds: milliseconds) }

  mutating func write(_ entries: LogEntry...) { for entry in entries { text.append(entry, at: now, to: &bytes) } }

  mutating func launch() { text.appendBanner(Configuration(platform: platform), at: now, to: &bytes) }

  func fix(north metres: Double) -> Fix {
    var coords = Coordinates(latitude: 45.5 + metres / 111_147, longitude: -116.3)
    coords.accuracy = 5
    return Fix(coords: coords, timestamp: now)
  }

  mutating func position(north metres: Double, _ decision: FilterTrace.Decision = .accepted, _ reason: String = "OK") {
    let trace = FilterTrace(
      decision: decision, reason: reason, raw: metres, effective: 0, smoothed: 0, cap: 0, accuracy: 5, speed: 0,
      sigma: 0,
      distanceFilter: 50)
    write(.location(fix(north: metres), number: 0, ageMilliseconds: 20), .filterDecision(trace))
  }

  /// A position that becomes a record.
  mutating func record(north metres: Double = 0) {
    position(north: metres)
    keep()
  }

  mutating func keep(_ kind: RecordKind = .tracking) {
    records += 1
    write(.inserted(uuid: WrittenLog.uuid(records), kind: kind, persistMode: 2, maxRecords: -1))
  }

  /// The zone, as a geofence shows it on iOS and the time of a position on Android.
  mutating func tellZone() { write(.geofence(identifier: "home", action: .enter, hits: 1)) }

  mutating func begin() {
    write(.paceChange(from: false, to: true), .locationUpdates(isOn: true))
    tellZone()
    record()
  }
}
