/// A geofence as it survives the process: its definition is what the host makes of it, its status what came of it so far
/// (SDK §15.1).
package struct StoredGeofence: Equatable, Sendable {
  /// What only an engine sets.
  package struct Status: Equatable, Sendable {
    package var isInside: Bool
    /// Seconds since 1970 of the last transition; 0 for none yet.
    package var updatedAtSeconds: Double
    package var hits: Int
    /// Milliseconds since 1970 at which the device has dwelt; 0 for no dwell to come.
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
