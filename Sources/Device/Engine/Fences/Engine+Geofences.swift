import Base
import Contract
import Vocabulary

/// Behaviour §15.
extension Engine {
  mutating func lookAround(from fix: Fix, isForced: Bool = false, at now: Moment, into effects: inout [Effect]) {}
  mutating func beginMonitoring(at now: Moment, into effects: inout [Effect]) {}
  mutating func endMonitoring(into effects: inout [Effect]) {}
  mutating func cross(_ identifier: String, isEntry: Bool, _ fix: Fix?, at now: Moment, into effects: inout [Effect]) {}
  mutating func add(_ geofences: [Geofence], at now: Moment, into effects: inout [Effect]) {}
  mutating func removeGeofences(_ identifiers: [String]?, at now: Moment, into effects: inout [Effect]) {}
  mutating func leaveProximityRegion(_ fix: Fix?, at now: Moment, into effects: inout [Effect]) {}
}
