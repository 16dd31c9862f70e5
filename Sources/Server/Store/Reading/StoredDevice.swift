package import Base

/// A device as the store knows it.
package struct StoredDevice: Equatable, Sendable {
  /// Its newest position in recorded time.
  package struct Position: Equatable, Sendable {
    package var recordedAt: Int64
    package var uuid: UUID128
    package var latitude: Double
    package var longitude: Double
    package var accuracy: Double?
    package var speed: Double?
    package var heading: Double?
    package var isMoving: Bool?
    package var event: String?
  }

  /// Unique and never given to another device, in the order of their first uploads.
  package var id: Int64
  package var identity: DeviceIdentity
  package var firstSeen: Int64
  package var lastSeen: Int64
  package var points: Int64
  package var duplicates: Int64
  package var quarantined: Int64
  package var latest: Position?
}
