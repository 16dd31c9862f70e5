/// What an enabled engine records (SDK §4.2).
package enum TrackingMode: Int, CaseIterable, Sendable {
  case geofence = 0
  case location = 1
}
