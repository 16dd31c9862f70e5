/// How the filter smooths the length of steps; coordinates are never changed.
package enum KalmanProfile: Int, CaseIterable, Sendable {
  case balanced = 0
  /// Very smooth and slow. One source has 1 and 2 exchanged (SDK §23).
  case smooth = 1
  case quick = 2
}
