package import Base

/// The satellite receiver of one device. Its error is correlated in time, so fixes must be requested in order of time;
/// without a request nothing is computed.
package struct Receiver: Sendable {
  package let model: GPSModel
  private var stream: RandomStream
  private var east: CorrelatedNoise
  private var north: CorrelatedNoise
  private var up: CorrelatedNoise
  private var sky: CorrelatedNoise
  private var noiseInstant: MonotonicInstant?
  private var firstSight: Sight?
  private var offSince: MonotonicInstant?
  /// The true place and the reported place of the last delivered fix.
  private var lastTruth: Coordinate?
  private var lastFix: Coordinate?
  private var lastInstant: MonotonicInstant?
  /// The last look since then without a fix: its apparent distance from the last fix.
  private var nearLook: NearLook?

  /// When the receiver sees the sky again, and the initial factor on its error.
  struct Sight: Equatable, Sendable {
    let start: MonotonicInstant
    let inflation: Double
  }

  private struct NearLook: Sendable {
    let truth: Coordinate
    let instant: MonotonicInstant
    let seemingMetres: Double
  }

  private static let coldAfter = Nanoseconds.seconds(600)
  /// Phones' receivers provide one position per second.
  static let interval = Nanoseconds.seconds(1)
  /// The interval at which the position of a resting body is compared with the last one.
  static let restInterval = Nanoseconds.seconds(20)

  package init(model: GPSModel, seed: UInt64, device: UInt64) {
    self.model = model
    stream = RandomStreamID.receiver.stream(seed: seed, device: device)
    east = CorrelatedNoise(from: &stream)
    north = CorrelatedNoise(from: &stream)
    up = CorrelatedNoise(from: &stream)
    sky = CorrelatedNoise(from: &stream)
  }

  package var isOn: Bool { firstSight != nil }

  /// Switches the receiver on; the first fix takes a while, longer after a long time off. Has no effect when it is on.
  package mutating func start(at instant: MonotonicInstant) {
    guard firstSight == nil else { return }
    let isCold = offSince.map { instant - $0 > Receiver.coldAfter } ?? true
    firstSight = sight(after: instant, isCold: isCold)
    (lastTruth, lastFix, lastInstant, nearLook) = (nil, nil, nil, nil)
  }

  package mutating func stop(at instant: MonotonicInstant) {
    guard firstSight != nil else { return }
    firstSight = nil
    offSince = instant
  }

  /// Returns a new view of the sky. The draws depend on the instant at which it came back, not on the number of fixes.
  private func sight(after instant: MonotonicInstant, isCold: Bool) -> Sight {
    let number = UInt64(bitPattern: instant.nanoseconds / 1_000_000) << 2
    var draws = RandomStreamID.acquisition.stream(seed: stream.seed, device: stream.device, n: number)
    let median = isCold ? model.coldStartSeconds : model.warmStartSeconds
    let delay = min(draws.logNormal(median: median, sigma: 0.5), 120)
    let inflation = draws.logNormal(median: isCold ? model.coldInflation : model.warmInflation, sigma: 0.8)
    return Sight(start: MonotonicInstant(secondsRoundedUp: instant.seconds + delay), inflation: inflation)
  }

  /// Returns since when the receiver has seen the sky, or when it will again; nil when it is off, or under cover for
  /// the whole episode.
  private func sight(of body: Body, at instant: MonotonicInstant) -> Sight? {
    guard let firstSight else { return nil }
    guard model.isBlindInTunnels else { return firstSight }
    var tunnelEnd = body.lastTunnelEnd
    switch body.episode {
    case .stay(let stay):
      if stay.cover == .tunnel { return nil }
    case .trip(let trip):
      for cover in trip.covers where cover.kind == .tunnel && cover.start <= instant { tunnelEnd = cover.end }
    }
    guard let tunnelEnd, tunnelEnd > firstSight.start else { return firstSight }
    return sight(after: tunnelEnd, isCold: false)
  }

  /// Returns the next instant after `instant` at which a fix may be due: the body has moved by the distance filter since the
  /// last fix, or by the remainder after a look that seemed closer, or it rests and must be looked at again. `interval` is
  /// the minimum time between two fixes, at least the receiver's own. Nil without one in the body's current episode.
  package func nextOccasion(
    of body: Body, distanceFilterMetres: Double, interval: Nanoseconds = .zero, after instant: MonotonicInstant
  ) -> MonotonicInstant? {
    var earliest = instant + .milliseconds(1)
    if let lastInstant { earliest = max(earliest, lastInstant + max(Receiver.interval, interval)) }
    var wanted = earliest
    if distanceFilterMetres > 0, let lastTruth {
      switch body.episode {
      // Since the last look, whether or not it delivered anything: frequent queries must not postpone it forever.
      case .stay: wanted = max(earliest, (noiseInstant ?? instant) + Receiver.restInterval)
      case .trip:
        var (start, metres) = (lastTruth, distanceFilterMetres)
        if let nearLook {
          (start, metres) = (nearLook.truth, distanceFilterMetres - nearLook.seemingMetres)
          earliest = max(earliest, nearLook.instant + Receiver.interval)
        }
        wanted = earliest
        if start.distanceMetres(to: body.position(at: earliest)) < metres {
          let crossing = body.nextCrossing(distanceMetres: metres, from: start, after: earliest)
          guard let crossing else { return nil }
          wanted = crossing
        }
      }
    }
    guard let sight = sight(of: body, at: wanted) else { return nil }
    wanted = max(wanted, sight.start)
    if let end = body.episode.end, wanted >= end { return nil }
    return wanted
  }

  /// Returns the current position. Nil without a view of the sky, and when the apparent distance from the last reported
  /// position is below the distance filter (SDK §2.1).
  package mutating func fix(
    of body: Body, at instant: MonotonicInstant, distanceFilterMetres: Double = 0
  ) -> GPSFix? {
    guard let sight = sight(of: body, at: instant), sight.start <= instant else { return nil }
    let sigma = sigma(at: instant, since: sight)
    let truth = body.position(at: instant)
    let scale = LocalScale(latitude: truth.latitude)
    let error = outlier(at: instant) ?? error(sigma: sigma)
    let place = scale.place(at: error, from: truth)
    if distanceFilterMetres > 0, let metres = lastFix?.distanceMetres(to: place), metres < distanceFilterMetres {
      nearLook = NearLook(truth: truth, instant: instant, seemingMetres: metres)
      return nil
    }
    (lastTruth, lastFix, lastInstant, nearLook) = (truth, place, instant, nil)
    let speed = body.speed(at: instant)
    let measured = max(speed + stream.normal(standardDeviation: 0.2 + 0.02 * speed), 0)
    let headingAccuracy = min(1.5 * sigma / max(speed, 0.5), 180)
    let heading =
      speed < 0.8 ? nil : body.headingDegrees(at: instant).map { turned($0, by: headingAccuracy * stream.normal()) }
    let altitude = Terrain.metres(at: truth) + 1.5 * sigma * up.value
    return GPSFix(
      instant: instant, place: place, accuracyMetres: model.accuracyFactor * sigma, altitudeMetres: altitude,
      ellipsoidalAltitudeMetres: altitude + Terrain.undulationMetres(at: truth),
      altitudeAccuracyMetres: 1.5 * sigma, speed: measured, speedAccuracy: 0.2 + 0.02 * speed, headingDegrees: heading,
      headingAccuracyDegrees: headingAccuracy, errorMetres: error.length)
  }

  private func turned(_ heading: Double, by degrees: Double) -> Double {
    let sum = (heading + degrees).truncatingRemainder(dividingBy: 360)
    return sum < 0 ? (sum + 360 < 360 ? sum + 360 : 0) : sum
  }

  /// Advances the noise to an instant; returns the standard deviation of the error on each axis.
  private mutating func sigma(at instant: MonotonicInstant, since sight: Sight) -> Double {
    let elapsed = noiseInstant.map { (instant - $0).seconds } ?? 0
    precondition(elapsed >= 0, "fixes are taken in the order of time")
    if elapsed > 0 {
      let rho = PortableMath.exp(-elapsed / model.correlationSeconds)
      let rest = (1 - rho * rho).squareRoot()
      east.step(correlation: rho, rest: rest, from: &stream)
      north.step(correlation: rho, rest: rest, from: &stream)
      up.step(correlation: rho, rest: rest, from: &stream)
      let skyRho = PortableMath.exp(-elapsed / model.skySeconds)
      sky.step(correlation: skyRho, rest: (1 - skyRho * skyRho).squareRoot(), from: &stream)
    }
    noiseInstant = instant
    let age = (instant - sight.start).seconds
    let inflation = 1 + sight.inflation * PortableMath.exp(-age / model.settlingSeconds)
    return model.sigmaMetres * inflation * PortableMath.exp(model.skySpread * sky.value)
  }

  private mutating func error(sigma: Double) -> Offset {
    let (slow, fast) = ((1 - model.whiteShare).squareRoot(), model.whiteShare.squareRoot())
    return Offset(
      east: sigma * (slow * east.value + fast * stream.normal()),
      north: sigma * (slow * north.value + fast * stream.normal()))
  }

  /// Returns the outlier at an instant; it belongs to a period of ten seconds and not to a fix, so that it does not depend on
  /// the number of requests.
  private func outlier(at instant: MonotonicInstant) -> Offset? {
    let slot = (instant.seconds / GPSModel.outlierSeconds).rounded(.down)
    var draws = RandomStreamID.outliers.stream(
      seed: stream.seed, device: stream.device, n: UInt64(bitPattern: Int64(slot)) << 2)
    guard draws.chance(model.outliersPerHour * GPSModel.outlierSeconds / 3_600) else { return nil }
    let distance = min(model.outlierDistance.draw(from: &draws), GPSModel.outlierMetresMax)
    let direction = PortableMath.sineAndCosine(degrees: 360 * draws.uniform())
    return Offset(east: distance * direction.sine, north: distance * direction.cosine)
  }
}

/// An Ornstein–Uhlenbeck process of variance 1, sampled at any instants: x' = ρ x + √(1 − ρ²) ξ with ρ = e^(−Δt/τ) is exact
/// and not an approximation for small steps (D. T. Gillespie, Physical Review E 54, 1996).
struct CorrelatedNoise: Sendable {
  private(set) var value: Double

  init(from stream: inout RandomStream) { value = stream.normal() }

  mutating func step(correlation rho: Double, rest: Double, from stream: inout RandomStream) {
    value = rho * value + rest * stream.normal()
  }
}

/// A position from a receiver.
package struct GPSFix: Equatable, Sendable {
  package let instant: MonotonicInstant
  package let place: Coordinate
  /// The radius that contains the true place in 68 % of the fixes.
  package let accuracyMetres: Double
  /// Above the mean sea level.
  package let altitudeMetres: Double
  /// Above the ellipsoid of WGS 84.
  package let ellipsoidalAltitudeMetres: Double
  package let altitudeAccuracyMetres: Double
  /// Metres per second.
  package let speed: Double
  package let speedAccuracy: Double
  /// Nil when the receiver moves too slowly to determine it.
  package let headingDegrees: Double?
  package let headingAccuracyDegrees: Double
  /// The distance from the true place, which no phone knows.
  package let errorMetres: Double
}
