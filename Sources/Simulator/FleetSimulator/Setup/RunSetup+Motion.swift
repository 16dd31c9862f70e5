import Base
import Scenario
import World

extension RunSetup {
  /// How a fleet's bodies get about.
  static func transport(_ motion: DeclaredMotion) -> Transport {
    let shares = ActivityShares(
      motion.activity.map { (activity: MotionActivity(name: $0.name), share: $0.value) })
    switch motion.speed {
    case .driver(let driver):
      let mover = Mover(
        topSpeed: max(driver.desiredMetresPerSecond, leastSpeed), acceleration: driver.acceleration,
        braking: driver.braking, lateralAcceleration: 2.5, obeysLights: true, unsteadiness: 0.1)
      let stops = driver.stops.map { Transport.Stops(perKilometre: $0.perKilometre, duration: $0.duration) }
      return Transport(mover: mover, stops: stops, activity: activity(at: mover.topSpeed), shares: shares)
    case .steady(let steady):
      // The same speed whatever the street is like.
      let mover = Mover(
        topSpeed: max(steady.meanMetresPerSecond, leastSpeed), acceleration: 1, braking: 1,
        lateralAcceleration: 1_000, obeysLights: false, obeysLimits: false, unsteadiness: 0)
      return Transport(
        mover: mover, speedVariation: steady.variation, activity: activity(at: mover.topSpeed), shares: shares)
    }
  }

  static func receiver(_ gps: DeclaredReceiver) -> World.GPSModel {
    World.GPSModel(
      sigmaMetres: max(gps.sigmaMetres, 0.01), correlationSeconds: max(gps.correlationTime.seconds, 0.1),
      outliersPerHour: min(gps.outliers?.perHour ?? 0, 99),
      outlierDistance: gps.outliers?.distance ?? .constant(0), isBlindInTunnels: gps.dropouts.zones == .tunnels)
  }

  /// Metres per second; who stands for ever is no body on its way.
  private static let leastSpeed = 0.1

  /// For motions that do not say what their sensors report.
  private static func activity(at speed: Double) -> MotionActivity {
    speed > 8 ? .inVehicle : speed > 2.5 ? .onBicycle : .onFoot
  }
}

extension MotionActivity {
  /// Under the SDK's name; the table of the scenario lets no other through.
  fileprivate init(name: String) {
    switch name {
    case "still": self = .still
    case "on_foot": self = .onFoot
    case "walking": self = .walking
    case "running": self = .running
    case "on_bicycle": self = .onBicycle
    case "in_vehicle": self = .inVehicle
    default: self = .unknown
    }
  }
}
