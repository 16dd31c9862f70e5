import Base
import Scenario
import Support
import Synchronization
import Threads

@testable import BackendStore
@testable import Conformance

/// A small backend whose app writes its records by a template: it keeps them in columns of its own, right but for one defect.
final class TemplateBackend: Sendable {
  enum Defect: Sendable {
    case cutsDegrees, countsInSummerTime, makesNullOfZero, countsInKilometres, keepsTheLastEvent, sharesExtras,
      cutsTexts
    case spoilsTexts, writesExtrasAsText, failsAtNUL, stopsAtABadRecord, refusesABadRecord, forgetsSpeed
    case takesEpochForSeconds, swapsPlaces
  }

  /// What its list shows.
  enum Listing: Sendable {
    /// Names that the dialect tells.
    case named
    /// The keys of the template, extras among them.
    case asSent
    /// Names that nothing tells.
    case unknown
    /// Columns without names.
    case lists
  }

  private struct Row: Sendable {
    let device: String
    var columns: [(key: String, value: StoredValue)]
    var extras: [(key: String, value: StoredValue)]

    subscript(key: String) -> StoredValue { columns.first { $0.key == key }?.value ?? .null }

    mutating func set(_ key: String, _ value: StoredValue) {
      for index in columns.indices where columns[index].key == key { columns[index].value = value }
    }
  }

  private let defect: Defect?
  private let listing: Listing
  private let rows = Mutex<[Row]>([])
  private let hasStopped = Atomic(false)

  init(_ defect: Defect?, listing: Listing = .named) { (self.defect, self.listing) = (defect, listing) }

  private static let tags = [
    ("id", "\"<%= uuid %>\""), ("time", "\"<%= timestamp %>\""), ("lat", "<%= latitude %>"),
    ("lng", "<%= longitude %>"),
    ("spd", "<%= speed %>"), ("hdg", "<%= heading %>"), ("acc", "<%= accuracy %>"), ("alt", "<%= altitude %>"),
    ("odo", "<%= odometer %>"), ("moving", "<%= is_moving %>"), ("evt", "\"<%= event %>\""),
    ("kind", "\"<%= activity.type %>\""), ("level", "<%= battery.level %>"),
  ]

  static let template = "{" + tags.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}"

  static let places = #"""
    uuid: "$.id", timestamp: "$.ts", "coords.latitude": "$.position.lat", "coords.longitude": "$.position.lng",
    "coords.speed": "$.spd", "coords.heading": "$.hdg", "coords.accuracy": "$.acc", "coords.altitude": "$.alt",
    odometer: "$.odo", is_moving: "$.moving", event: "$.evt", "activity.type": "$.kind", "battery.level": "$.level",
    extras: "$.meta"
    """#

  static func dialect(places: String = places, promises: String = "", time: String = "iso") -> String {
    let template = time == "iso" ? template : template.replacing("\"<%= timestamp %>\"", with: "<%= timestamp %>")
    return """
      {
        version: 1, path: "/points",
        app: {
          http: { params: { device_id: "${device.id}" } },
          persistence: { timestampFormat: "\(time)", locationTemplate: '\(template)' },
        },
        verify: { url: "/stored?device={device}", fields: { \(places) } },
        promises: { tokens: "none", \(promises) },
      }
      """
  }

  func verdict(on clause: String, dialect: String? = nil) throws -> ConformanceVerdict? {
    try summary(of: [clause], dialect: dialect).results.first { $0.clause.id == clause }?.verdict
  }

  func summary(of clauses: Set<String>, dialect: String? = nil) throws -> ConformanceSummary {
    let server = try BareServer { self.respond(to: $0) }
    let text = dialect ?? TemplateBackend.dialect(places: listing == .named ? TemplateBackend.places : "")
    let target = ConformanceTarget("http://127.0.0.1:\(server.port)", try DialectReader().read(text), adminToken: nil)
    var settings = ConformanceRun.Settings(seed: 7, start: SystemClock().wallNow)
    (settings.only, settings.timeAway) = (clauses, .milliseconds(500))
    return ConformanceSummary(
      ConformanceRun(target, settings).run { _, _ in }, of: target, settings, seconds: 1)
  }

  private func respond(to request: BareServer.Request) -> BareServer.Answer {
    let line = request.lines[0].split(separator: " ")
    let (method, path) = (line[0], line.count > 1 ? String(line[1]) : "/")
    if method == "GET", path.hasPrefix("/stored?device=") {
      let device = String(path.dropFirst(15))
      let mine = rows.withLock { rows in rows.filter { $0.device == (device.removingPercentEncoding ?? device) } }
      return .ok("[" + mine.map { entry(of: $0).shown }.joined(separator: ",") + "]")
    }
    guard method == "POST", path == "/points" else { return answer(404) }
    guard let body = StoredValue(request.body), let device = body["device_id"]?.string else { return answer(400) }
    if defect == .failsAtNUL, String(decoding: request.body, as: UTF8.self).contains("\\u0000") { return answer(500) }
    let records: [StoredValue] =
      switch body["location"] {
      case .list(let list)?: list
      case let one?: [one]
      case nil: []
      }
    return rows.withLock { rows in
      for (index, record) in records.enumerated() {
        guard var row = row(of: record, device) else {
          if defect == .stopsAtABadRecord { hasStopped.store(true, ordering: .relaxed) }
          if defect == .refusesABadRecord { return answer(422) }
          continue
        }
        if hasStopped.load(ordering: .relaxed) { return answer(500) }
        let isKnown = rows.contains { $0.device == device && $0["id"].string == row["id"].string }
        if isKnown { continue }
        if index > 0, let last = rows.last {
          if defect == .keepsTheLastEvent, row["evt"].isNull { row.set("evt", last["evt"]) }
          if defect == .sharesExtras { row.extras = last.extras }
        }
        rows.append(row)
      }
      return .ok()
    }
  }

  private func answer(_ status: Int) -> BareServer.Answer {
    .text("HTTP/1.1 \(status) Status\r\nContent-Length: 0\r\n\r\n")
  }

  /// Nil without a place.
  private func row(of record: StoredValue, _ device: String) -> Row? {
    var record = record
    if record["coords"] != nil { record = TemplateBackend.flat(record) }
    guard case .object(let members) = record, var lat = record["lat"]?.double, var lng = record["lng"]?.double,
      var time = record["time"]?.instant
    else { return nil }
    let keys = TemplateBackend.tags.map(\.0)
    var row = Row(
      device: device, columns: keys.map { ($0, record[$0] ?? .null) },
      extras: members.filter { !keys.contains($0.key) })
    if row["evt"].string == "" { row.set("evt", .null) }
    switch defect {
    case .cutsDegrees: (lat, lng) = ((lat * 1e5).rounded() / 1e5, (lng * 1e5).rounded() / 1e5)
    case .swapsPlaces: (lat, lng) = (lng, lat)
    case .countsInSummerTime:
      let month = Int(time.iso8601Text.dropFirst(5).prefix(2)) ?? 0
      if 4...10 ~= month { time = time.advanced(byMilliseconds: 3_600_000) }
    case .makesNullOfZero:
      for key in ["spd", "hdg", "alt", "odo", "level"] where row[key].isZero { row.set(key, .null) }
    case .countsInKilometres: row.set("spd", .number("\((row["spd"].double ?? 0) * 3.6)"))
    case .forgetsSpeed: row.set("spd", .null)
    case .writesExtrasAsText:
      row.extras = row.extras.map { ($0.key, $0.value.string == nil ? .text($0.value.shown) : $0.value) }
    case .cutsTexts: row.extras = row.extras.map { ($0.key, $0.value.changed { String($0.prefix(255)) }) }
    case .spoilsTexts:
      row.extras = row.extras.map { ($0.key, $0.value.changed { String($0.map { $0.isASCII ? $0 : "?" }) }) }
    default: break
    }
    row.set("lat", .number("\(lat)"))
    row.set("lng", .number("\(lng)"))
    let seconds = time.millisecondsSince1970
    row.set("time", defect == .takesEpochForSeconds ? .number("\(seconds)000") : .text(time.iso8601Text))
    return row
  }

  /// The same by the keys of the template.
  private static func flat(_ record: StoredValue) -> StoredValue {
    let names = [
      ("id", "uuid"), ("time", "timestamp"), ("lat", "coords.latitude"), ("lng", "coords.longitude"),
      ("spd", "coords.speed"), ("hdg", "coords.heading"), ("acc", "coords.accuracy"), ("alt", "coords.altitude"),
      ("odo", "odometer"), ("moving", "is_moving"), ("evt", "event"), ("kind", "activity.type"),
      ("level", "battery.level"),
    ]
    let members = names.compactMap { key, path in record.value(at: path).map { (key: key, value: $0) } }
    guard case .object(let extras)? = record["extras"] else { return .object(members) }
    return .object(members + extras)
  }

  private func entry(of row: Row) -> StoredValue {
    switch listing {
    case .asSent: return .object(row.columns + row.extras)
    case .lists: return .list(row.columns.map(\.value))
    case .unknown:
      return .object([("id", row["id"])] + row.columns.dropFirst().map { ("c_" + $0.key, $0.value) })
    case .named:
      let place: StoredValue = .object([("lat", row["lat"]), ("lng", row["lng"])])
      let others = row.columns.filter { !["time", "lat", "lng"].contains($0.key) }
      return .object([("ts", row["time"]), ("position", place), ("meta", .object(row.extras))] + others)
    }
  }
}

extension StoredValue {
  /// Of a text.
  fileprivate func changed(_ change: (String) -> String) -> StoredValue {
    if case .text(let text) = self { .text(change(text)) } else { self }
  }
}
