import Base
import Contract
import Vocabulary

@testable import Engine

/// A book with its effects, at a place and a time that tests move.
struct FenceBench {
  var book: GeofenceBook
  var rules: GeofenceRules
  var effects: [GeofenceEffect] = []
  var seconds = 0.0

  init(
    _ platform: DevicePlatform = .ios, isGeofenceMode: Bool = false, isPolygonLicensed: Bool = true,
    change: (inout GeolocationSettings) -> Void = { _ in }
  ) {
    var configuration = Configuration(platform: platform)
    change(&configuration.geolocation)
    rules = GeofenceRules(configuration, isGeofenceMode: isGeofenceMode)
    book = GeofenceBook(isPolygonLicensed: isPolygonLicensed)
  }

  var now: Moment {
    Moment(
      monotonic: MonotonicInstant(nanoseconds: Int64(seconds * 1e9)),
      wall: TestFix.start.advanced(byMilliseconds: Int64(seconds * 1_000)))
  }

  static func fence(
    _ identifier: String, metresEast: Double = 0, radius: Double = 200, _ change: (inout Geofence) -> Void = { _ in }
  ) -> Geofence {
    let place = TestFix.place(metresEast: metresEast)
    var fence = Geofence(
      identifier: identifier,
      shape: .circle(
        center: Geofence.Vertex(latitude: place.latitude, longitude: place.longitude), radiusMetres: radius))
    change(&fence)
    return fence
  }

  /// With so many others far away that only fences nearby are active.
  static func amongDistantOnes(_ fence: Geofence) throws -> FenceBench {
    var bench = FenceBench()
    for index in 0..<30 { try bench.add(self.fence("\(index)", metresEast: 150_000 + Double(index) * 5_000)) }
    try bench.add(fence)
    return bench
  }

  mutating func add(_ fences: Geofence...) throws {
    for fence in fences { try book.add(fence) }
  }

  mutating func evaluate(_ occasion: ProximityOccasion, metresEast: Double?, accuracy: Double = 5) {
    book.evaluate(
      occasion, at: metresEast.map(TestFix.place(metresEast:)), accuracyMetres: accuracy, now: now, rules: rules,
      into: &effects)
  }

  mutating func cross(_ identifier: String, isEnter: Bool, metresEast: Double) {
    book.crossed(
      identifier, isEnter: isEnter, at: TestFix.place(metresEast: metresEast), now: now, platform: rules.platform,
      into: &effects)
  }

  /// A new process with what was kept, or `stop()`.
  mutating func restart(isStopped: Bool) throws {
    guard !isStopped else { return book.stop() }
    let kept = book.geofences
    book = GeofenceBook()
    for fence in kept { try book.restore(fence) }
  }

  mutating func wait(_ seconds: Double) {
    self.seconds += seconds
    if let deadline = book.nextDeadline, deadline <= now.monotonic { book.timersDue(at: now, into: &effects) }
  }

  /// What happened since the last call, in short: `ENTER a`, `silent EXIT a`, `corrected a`, `on a,b off c`, and so on.
  mutating func story() -> [String] {
    defer { effects.removeAll() }
    return effects.compactMap { effect in
      switch effect {
      case .transition(let transition):
        (transition.isNotified ? "" : "silent ") + (transition.isSynthesised ? "synthesised " : "")
          + "\(transition.action.rawValue) \(transition.geofence.identifier)"
      case .suppressed(let suppression): "\(suppression.reason.rawValue) \(suppression.identifier)"
      case .corrected(let geofence): "corrected \(geofence.identifier)"
      case .activeSet(let on, let off):
        "on \(on.map(\.identifier).joined(separator: ",")) off \(off.joined(separator: ","))"
      case .movingRegion(let circle): "region \(Int(circle.radiusMetres))"
      case .evaluated, .watchAnew: nil
      }
    }
  }
}
