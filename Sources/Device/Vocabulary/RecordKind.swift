/// Why a location was taken: the SDK's TSLocationType, whose number stands in the log (SDK §4.4).
package enum RecordKind: Int, CaseIterable, Sendable {
  case motionChange, tracking, current, sample, watch, geofence, polygon, heartbeat, motionState, odometer, stream
}
