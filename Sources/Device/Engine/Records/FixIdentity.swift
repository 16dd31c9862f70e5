import Base
import Contract
import Vocabulary

/// By what a position is known again when the system hands it over twice.
struct FixIdentity: Equatable, Sendable {
  let timestamp: WallInstant
  let latitude: Double
  let longitude: Double

  init(_ fix: Fix) {
    timestamp = fix.timestamp
    latitude = fix.coords.latitude
    longitude = fix.coords.longitude
  }
}
