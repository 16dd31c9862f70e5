/// What a window of a schedule switches on.
package enum ScheduleMode: String, CaseIterable, Sendable {
  case location, geofence
}
