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
  }

  private let state: StateTable
  private let geofences: GeofenceTable
  private let platform: DevicePlatform

  init(_ database: QueueDatabase, device: Int, platform: DevicePlatform) {
    state = database.state(of: device)
    geofences = database.geofences(of: device)
    self.platform = platform
  }

  /// Nil before the first launch. Of what cannot be read the default takes the place.
  func configuration() throws(DatabaseError) -> Configuration? {
    guard let document = try document(Key.configuration) else { return nil }
    var configuration = Configuration(platform: platform)
    _ = configuration.apply(document)
    return configuration
  }

  func save(_ configuration: Configuration) throws(DatabaseError) {
    var document = configuration.groups
    document["isMoving"] = .bool(configuration.isMoving)
    try save(.object(document), Key.configuration)
  }

  func engineState() throws(DatabaseError) -> EngineState {
    try document(Key.engine).map { EngineState($0) } ?? EngineState()
  }

  func save(_ engineState: EngineState) throws(DatabaseError) { try save(engineState.json, Key.engine) }

  func tokenSetAt() throws(DatabaseError) -> WallInstant? {
    guard case .integer(let milliseconds)? = try document(Key.tokenSetAt) else { return nil }
    return WallInstant(exactly: milliseconds)
  }

  func save(tokenSetAt: WallInstant) throws(DatabaseError) {
    try save(.integer(tokenSetAt.millisecondsSince1970), Key.tokenSetAt)
  }

  /// Definitions that cannot be read are left out.
  func allGeofences() throws(DatabaseError) -> [Geofence] {
    try geofences.all().compactMap { stored in
      do {
        var fence = try Geofence(definition: JSONValue(parsing: stored.definition.span))
        fence.status.isInside = stored.status.isInside
        fence.status.updatedAtSeconds = stored.status.updatedAtSeconds
        fence.status.hits = stored.status.hits
        return fence
      } catch { return nil }
    }
  }

  func save(_ fence: Geofence) throws(DatabaseError) {
    let status = StoredGeofence.Status(
      isInside: fence.status.isInside, updatedAtSeconds: fence.status.updatedAtSeconds, hits: fence.status.hits)
    let stored = StoredGeofence(
      identifier: fence.identifier, definition: fence.definitionJSON.text, status: status)
    try geofences.put([stored])
  }

  /// Nil: all of them.
  func deleteGeofences(_ identifiers: [String]?) throws(DatabaseError) {
    guard let identifiers else { return try geofences.removeAll() }
    for identifier in identifiers { _ = try geofences.remove(identifier) }
  }

  private func document(_ key: String) throws(DatabaseError) -> JSONValue? {
    guard let bytes = try state.value(key) else { return nil }
    do {
      return try JSONValue(parsing: bytes.span)
    } catch { return nil }
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
