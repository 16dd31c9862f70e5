import Database

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
