package import Database

/// The geofences of one device, which persist over restarts (SDK §15.7). Writes are as durable as those of its queue,
/// and belong to the same group.
package struct GeofenceTable {
  let database: QueueDatabase
  let device: Int

  /// Adds all or none of the geofences. One with an existing identifier replaces it, including its status.
  package func put(_ geofences: [StoredGeofence]) throws(DatabaseError) {
    try database.write(for: device) { () throws(DatabaseError) in
      for geofence in geofences { try database.geofences.put(geofence, device: device) }
    }
  }

  /// Returns false when there is no such geofence.
  package func update(_ identifier: String, status: StoredGeofence.Status) throws(DatabaseError) -> Bool {
    try database.write(for: device) { () throws(DatabaseError) in
      try database.geofences.update(identifier, status, device: device)
      return database.connection.changes > 0
    }
  }

  /// Returns false when there was no such geofence.
  package func remove(_ identifier: String) throws(DatabaseError) -> Bool {
    try database.write(for: device) { () throws(DatabaseError) in
      try database.geofences.remove(identifier, device: device)
      return database.connection.changes > 0
    }
  }

  package func removeAll() throws(DatabaseError) {
    try database.write(for: device) { () throws(DatabaseError) in try database.geofences.removeAll(device: device) }
  }

  /// Returns the geofences in the order of the identifiers' UTF-8.
  package func all() throws(DatabaseError) -> [StoredGeofence] { try database.geofences.all(device: device) }
}

/// A geofence in its stored form: the definition as encoded by the host, and its status (SDK §15.1).
package struct StoredGeofence: Equatable, Sendable {
  /// The status, which only the engine sets.
  package struct Status: Equatable, Sendable {
    package var isInside: Bool
    /// The time of the last transition in seconds since 1970; 0 for none yet.
    package var updatedAtSeconds: Double
    package var hits: Int
    /// The time at which the dwell is complete, in milliseconds since 1970; 0 for no pending dwell.
    package var dwellsAtMilliseconds: Int64

    package init(
      isInside: Bool = false, updatedAtSeconds: Double = 0, hits: Int = 0, dwellsAtMilliseconds: Int64 = 0
    ) {
      self.isInside = isInside
      self.updatedAtSeconds = updatedAtSeconds
      self.hits = hits
      self.dwellsAtMilliseconds = dwellsAtMilliseconds
    }
  }

  package let identifier: String
  package let definition: [UInt8]
  package var status: Status

  package init(identifier: String, definition: [UInt8], status: Status = Status()) {
    self.identifier = identifier
    self.definition = definition
    self.status = status
  }
}

/// The statements of the table `geofences`.
struct GeofenceStatements: ~Copyable {
  private var replacement: Statement
  private var statusChange: Statement
  private var deletion: Statement
  private var deletionOfAll: Statement
  private var selection: Statement
}

extension GeofenceStatements {
  init(_ connection: borrowing Connection) throws(DatabaseError) {
    self.init(
      replacement: try connection.prepare(
        """
        INSERT OR REPLACE INTO geofences(device, identifier, definition, is_inside, updated_at, hits, dwells_at)
        VALUES(?, ?, ?, ?, ?, ?, ?)
        """),
      statusChange: try connection.prepare(
        """
        UPDATE geofences SET is_inside = ?, updated_at = ?, hits = ?, dwells_at = ? WHERE device = ? AND identifier = ?
        """),
      deletion: try connection.prepare("DELETE FROM geofences WHERE device = ? AND identifier = ?"),
      deletionOfAll: try connection.prepare("DELETE FROM geofences WHERE device = ?"),
      selection: try connection.prepare(
        """
        SELECT identifier, definition, is_inside, updated_at, hits, dwells_at FROM geofences WHERE device = ?
        ORDER BY identifier
        """))
  }

  mutating func put(_ geofence: StoredGeofence, device: Int) throws(DatabaseError) {
    var execution = replacement.start()
    execution.bind(1, Int64(device))
    execution.bind(2, text: geofence.identifier.utf8.span)
    execution.bind(3, blob: geofence.definition.span)
    execution.bind(4, Int64(geofence.status.isInside ? 1 : 0))
    execution.bind(5, geofence.status.updatedAtSeconds)
    execution.bind(6, Int64(geofence.status.hits))
    execution.bind(7, geofence.status.dwellsAtMilliseconds)
    try execution.run()
  }

  mutating func update(
    _ identifier: String, _ status: StoredGeofence.Status, device: Int
  ) throws(DatabaseError) {
    var execution = statusChange.start()
    execution.bind(1, Int64(status.isInside ? 1 : 0))
    execution.bind(2, status.updatedAtSeconds)
    execution.bind(3, Int64(status.hits))
    execution.bind(4, status.dwellsAtMilliseconds)
    execution.bind(5, Int64(device))
    execution.bind(6, text: identifier.utf8.span)
    try execution.run()
  }

  mutating func remove(_ identifier: String, device: Int) throws(DatabaseError) {
    var execution = deletion.start()
    execution.bind(1, Int64(device))
    execution.bind(2, text: identifier.utf8.span)
    try execution.run()
  }

  mutating func removeAll(device: Int) throws(DatabaseError) {
    var execution = deletionOfAll.start()
    execution.bind(1, Int64(device))
    try execution.run()
  }

  mutating func all(device: Int) throws(DatabaseError) -> [StoredGeofence] {
    var geofences: [StoredGeofence] = []
    var execution = selection.start()
    execution.bind(1, Int64(device))
    while try execution.step() {
      geofences.append(
        StoredGeofence(
          identifier: execution.text(at: 0), definition: execution.blob(at: 1),
          status: StoredGeofence.Status(
            isInside: execution.integer(at: 2) != 0, updatedAtSeconds: execution.double(at: 3),
            hits: Int(execution.integer(at: 4)), dwellsAtMilliseconds: execution.integer(at: 5))))
    }
    return geofences
  }
}
