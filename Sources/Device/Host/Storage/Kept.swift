import Base
import Contract
import Engine

/// What an earlier launch has left behind.
struct Kept {
  /// Nil before the first launch.
  var configuration: Configuration?
  var engineState = EngineState()
  /// Nil before the first launch.
  var tokenSetAt: WallInstant?
  /// Whether rows waited for a retry.
  var isRetryDue = false
  var geofences: [Geofence] = []
  /// Parts that were there and could not be read.
  var unreadable: [String] = []
}
