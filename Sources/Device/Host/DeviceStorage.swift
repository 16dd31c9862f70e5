import Base
import Contract
import Database
import Engine
import JSON
import Queue

/// The persistent state of a device beside its records: configuration, engine state, geofences, the age of its token.
struct DeviceStorage {
  private enum Key {
    static let configuration = "configuration"
    static let engine = "engine"
    static let tokenSetAt = "tokenSetAt"
    static let isRetryDue = "isRetryDue"
  }

  private let state: StateTable
  private let geofences: GeofenceTable
  private let platform: DevicePlatform

  init(_ database: QueueDatabase, device: Int, platform: DevicePlatform) {
    state = database.state(of: device)
    geofences = database.geofences(of: device)
    self.platform = platform
  }

  /// Returns the stored state. A part that cannot be read is named, and has its value from before the first launch.
  func kept() throws(DatabaseError) -> PersistedState {
    var kept = PersistedState()
    if let document = try document(Key.configuration, &kept) {
      var configuration = Configuration(platform: platform)
      _ = configuration.apply(document)
      kept.configuration = configuration
    }
    kept.engineState = try document(Key.engine, &kept).map { EngineState($0) } ?? EngineState()
    if case .integer(let milliseconds)? = try document(Key.tokenSetAt, &kept) {
      kept.tokenSetAt = WallInstant(exactly: milliseconds)
    }
    kept.isRetryDue = try document(Key.isRetryDue, &kept) == .bool(true)
    for stored in try geofences.all() {
      do {
        var fence = try Geofence(definition: JSONValue(parsing: stored.definition.span))
        fence.status.isInside = stored.status.isInside
        fence.status.updatedAtSeconds = stored.status.updatedAtSeconds
        fence.status.hits = stored.status.hits
        if stored.status.dwellsAtMilliseconds > 0 {
          fence.status.dwellDeadline = WallInstant(exactly: stored.status.dwellsAtMilliseconds)
        }
        kept.geofences.append(fence)
      } catch { kept.unreadable.append("geofence \(stored.identifier)") }
    }
    return kept
  }

  func save(_ configuration: Configuration) throws(DatabaseError) {
    // Only changes from the defaults, because each of thousands of devices has only a few pages.
    var document = configuration.changedGroups
    document["isMoving"] = .bool(configuration.isMoving)
    try save(.object(document), Key.configuration)
  }

  func save(_ engineState: EngineState, with writer: inout JSONWriter) throws(DatabaseError) {
    writer.removeAll(keepingCapacity: true)
    engineState.write(to: &writer)
    try state.set(Key.engine, to: writer.bytes.span)
  }

  func save(tokenSetAt: WallInstant) throws(DatabaseError) {
    try save(.integer(tokenSetAt.millisecondsSince1970), Key.tokenSetAt)
  }

  func save(isRetryDue: Bool) throws(DatabaseError) {
    try save(.bool(isRetryDue), Key.isRetryDue)
  }

  func save(_ fence: Geofence) throws(DatabaseError) {
    let status = StoredGeofence.Status(
      isInside: fence.status.isInside, updatedAtSeconds: fence.status.updatedAtSeconds, hits: fence.status.hits,
      dwellsAtMilliseconds: fence.status.dwellDeadline?.millisecondsSince1970 ?? 0)
    let stored = StoredGeofence(
      identifier: fence.identifier, definition: fence.definitionJSON.serialized, status: status)
    try geofences.put([stored])
  }

  /// Nil deletes all.
  func deleteGeofences(_ identifiers: [String]?) throws(DatabaseError) {
    guard let identifiers else { return try geofences.removeAll() }
    for identifier in identifiers { _ = try geofences.remove(identifier) }
  }

  private func document(_ key: String, _ kept: inout PersistedState) throws(DatabaseError) -> JSONValue? {
    guard let bytes = try state.value(key) else { return nil }
    do throws(JSONError) {
      return try JSONValue(parsing: bytes.span)
    } catch {
      kept.unreadable.append(key)
      return nil
    }
  }

  private func save(_ document: JSONValue, _ key: String) throws(DatabaseError) {
    try state.set(key, to: document.serialized.span)
  }
}

/// The stored state of an earlier launch.
struct PersistedState {
  /// Nil before the first launch.
  var configuration: Configuration?
  var engineState = EngineState()
  /// Nil before the first launch.
  var tokenSetAt: WallInstant?
  /// Whether rows were waiting for a retry.
  var isRetryDue = false
  var geofences: [Geofence] = []
  /// The parts that could not be read.
  var unreadable: [String] = []
}

/// The state in its stored form, and in the form for apps, beside the configuration (SDK §3).
extension EngineState {
  private enum Key {
    static let enabled = "enabled"
    static let isMoving = "isMoving"
    static let trackingMode = "trackingMode"
    static let schedulerEnabled = "schedulerEnabled"
    static let odometer = "odometer"
    static let odometerError = "odometerError"
    static let latitude = "latitude"
    static let longitude = "longitude"
    static let startedAt = "startedAt"
  }

  /// Missing or invalid members have their values from before the first launch.
  init(_ document: JSONValue) {
    self.init()
    isEnabled = document[Key.enabled] == .bool(true)
    isMoving = document[Key.isMoving] == .bool(true)
    trackingMode = document[Key.trackingMode] == .integer(0) ? .geofence : .location
    isSchedulerEnabled = document[Key.schedulerEnabled] == .bool(true)
    odometerMetres = Self.number(document[Key.odometer]) ?? 0
    odometerErrorMetres = Self.number(document[Key.odometerError]) ?? 0
    if let latitude = Self.number(document[Key.latitude]), let longitude = Self.number(document[Key.longitude]) {
      stationaryPlace = Coordinate(latitude: latitude, longitude: longitude)
    }
    if case .integer(let milliseconds)? = document[Key.startedAt] { startedAt = WallInstant(exactly: milliseconds) }
  }

  /// The members for apps.
  var members: JSONObject {
    [
      Key.enabled: .bool(isEnabled), Key.isMoving: .bool(isMoving),
      Key.trackingMode: .integer(Int64(trackingMode.rawValue)), Key.schedulerEnabled: .bool(isSchedulerEnabled),
      Key.odometer: .double(odometerMetres), Key.odometerError: .double(odometerErrorMetres),
    ]
  }

  /// Writes what `init` reads. It is called after most fixes, so it builds no tree.
  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key(Key.enabled)
    writer.value(isEnabled)
    writer.key(Key.isMoving)
    writer.value(isMoving)
    writer.key(Key.trackingMode)
    writer.value(Int64(trackingMode.rawValue))
    writer.key(Key.schedulerEnabled)
    writer.value(isSchedulerEnabled)
    writer.key(Key.odometer)
    writer.value(odometerMetres)
    writer.key(Key.odometerError)
    writer.value(odometerErrorMetres)
    if let stationaryPlace {
      writer.key(Key.latitude)
      writer.value(stationaryPlace.latitude)
      writer.key(Key.longitude)
      writer.value(stationaryPlace.longitude)
    }
    if let startedAt {
      writer.key(Key.startedAt)
      writer.value(startedAt.millisecondsSince1970)
    }
    writer.endObject()
  }

  private static func number(_ value: JSONValue?) -> Double? {
    switch value {
    case .integer(let number)?: Double(number)
    case .double(let number)?: number
    case nil, .null?, .bool?, .string?, .array?, .object?: nil
    }
  }
}
