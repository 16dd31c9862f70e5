import Base
import Contract
import Database
import Engine
import JSON
import Queue

/// What a device keeps over launches beside its records: configuration, engine state, geofences, the age of its token.
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

  /// What was kept, each part by itself: one that cannot be read is named, and is as before the first launch.
  func kept() throws(DatabaseError) -> Kept {
    var kept = Kept()
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
    // Thousands of devices have a few pages each for all that they keep.
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
      identifier: fence.identifier, definition: fence.definitionJSON.text, status: status)
    try geofences.put([stored])
  }

  /// Nil: all of them.
  func deleteGeofences(_ identifiers: [String]?) throws(DatabaseError) {
    guard let identifiers else { return try geofences.removeAll() }
    for identifier in identifiers { _ = try geofences.remove(identifier) }
  }

  private func document(_ key: String, _ kept: inout Kept) throws(DatabaseError) -> JSONValue? {
    guard let bytes = try state.value(key) else { return nil }
    do throws(JSONError) {
      return try JSONValue(parsing: bytes.span)
    } catch {
      kept.unreadable.append(key)
      return nil
    }
  }

  private func save(_ document: JSONValue, _ key: String) throws(DatabaseError) {
    try state.set(key, to: document.text.span)
  }
}

extension JSONValue {
  var text: [UInt8] {
    var writer = JSONWriter(capacity: 1_024)
    write(to: &writer)
    return writer.bytes
  }
}
