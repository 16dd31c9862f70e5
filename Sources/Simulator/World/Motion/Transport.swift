/// How a body gets about.
package enum Transport: Equatable, Sendable, CaseIterable {
  case car, bicycle, foot

  package var mover: Mover {
    switch self {
    case .car: .car
    case .bicycle: .bicycle
    case .foot: .pedestrian
    }
  }

  package var activity: MotionActivity {
    switch self {
    case .car: .inVehicle
    case .bicycle: .onBicycle
    case .foot: .walking
    }
  }
}
