import Base

/// What a body can do, in metres and seconds.
package struct Mover: Equatable, Sendable {
  /// Metres per second, whatever a street allows.
  package var topSpeed: Double
  /// Metres per second squared.
  package var acceleration: Double
  package var braking: Double
  /// Towards the inside of a curve.
  package var lateralAcceleration: Double
  package var obeysLights: Bool
  package var obeysLimits: Bool
  /// How steady the pace is: the share of the top speed by which it varies from edge to edge.
  package var unsteadiness: Double

  package init(
    topSpeed: Double, acceleration: Double, braking: Double, lateralAcceleration: Double, obeysLights: Bool,
    obeysLimits: Bool = true, unsteadiness: Double
  ) {
    precondition(topSpeed > 0 && acceleration > 0 && braking > 0 && lateralAcceleration > 0, "a mover can move")
    precondition(unsteadiness >= 0 && unsteadiness < 1, "unsteadiness is 0 ..< 1")
    self.topSpeed = topSpeed
    self.acceleration = acceleration
    self.braking = braking
    self.lateralAcceleration = lateralAcceleration
    self.obeysLights = obeysLights
    self.obeysLimits = obeysLimits
    self.unsteadiness = unsteadiness
  }

  /// Ordinary traffic: 1.4 and 2.0 m/s² are the comfortable values of the intelligent driver model (M. Treiber,
  /// A. Hennecke, D. Helbing, Physical Review E 62, 2000, with the braking of city traffic).
  package static let car = Mover(
    topSpeed: 55, acceleration: 1.4, braking: 2.0, lateralAcceleration: 2.5, obeysLights: true, unsteadiness: 0.1)
  package static let bicycle = Mover(
    topSpeed: 6.5, acceleration: 0.8, braking: 1.5, lateralAcceleration: 2.0, obeysLights: true, unsteadiness: 0.2)
  package static let pedestrian = Mover(
    topSpeed: 1.6, acceleration: 1.0, braking: 1.0, lateralAcceleration: 1.5, obeysLights: false, unsteadiness: 0.3)

  /// The speed at which a corner can be taken: v = √(a / κ) on the arc that leaves the edges `tangentMetres` before the
  /// corner and meets them as far behind it.
  func speed(aroundCornerFrom arriving: Offset, to leaving: Offset) -> Double {
    let tangent = min(0.5 * arriving.length, 0.5 * leaving.length, Mover.tangentMetres)
    let dot = arriving.east * leaving.east + arriving.north * leaving.north
    let cosine = dot / (arriving.length * leaving.length)
    // tan²(θ/2) = (1 − cos θ) / (1 + cos θ); the radius of the arc is tangent / tan(θ/2). Turning back has none.
    guard cosine > -0.999 else { return 0 }
    guard cosine < 0.999_999 else { return .infinity }
    let radius = tangent * ((1 + cosine) / (1 - cosine)).squareRoot()
    return (lateralAcceleration * radius).squareRoot()
  }

  private static let tangentMetres = 12.0
}
