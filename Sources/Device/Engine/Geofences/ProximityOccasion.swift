/// Why a look at the fences nearby is due.
package enum ProximityOccasion: CaseIterable, Sendable {
  /// An accepted fix while moving: the only occasion that Android limits in time.
  case fix
  /// Tracking goes on from an earlier process.
  case relaunch
  case start, motionChange, fencesChanged, transition, regionExit
}
