package import Database

/// The geofences of one device, which persist over restarts (SDK §15.7). Calls that write are as durable as those of
/// its queue, and belong to the same group.
package struct GeofenceTable {
  let database: QueueDatabase
  let device: Int

  /// Adds geofences, all or none; one whose identifier is there already is replaced, status and all.
  package func put(_ geofences: [StoredGeofence]) throws(DatabaseError) {
    try database.write(for: device) { () throws(DatabaseError) in
      for geofence in geofences { try database.geofences.put(geofence, device: device) }
    }
  }

  /// False when there is no such geofence.
  package func update(_ identifier: String, status: StoredGeofence.Status) throws(DatabaseError) -> Bool {
    try database.write(for: device) { () throws(DatabaseError) in
      try database.geofences.update(identifier, status, device: device)
      return database.connection.changes > 0
    }
  }

  /// False when there was no such geofence.
  package func remove(_ identifier: String) throws(DatabaseError) -> Bool {
    try database.write(for: device) { () throws(DatabaseError) in
      try database.geofences.remove(identifier, device: device)
      return database.connection.changes > 0
    }
  }

  package func removeAll() throws(DatabaseError) {
    try database.write(for: device) { () throws(DatabaseError) in try database.geofences.removeAll(device: device) }
  }

  /// In the order of the identifiers' UTF-8.
  package func all() throws(DatabaseError) -> [StoredGeofence] { try database.geofences.all(device: device) }
}
