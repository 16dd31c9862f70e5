/// What a body does, or what the motion sensors think that it does.
package enum MotionActivity: Equatable, Sendable, CaseIterable {
  case still, walking, running, onFoot, onBicycle, inVehicle, unknown
}
