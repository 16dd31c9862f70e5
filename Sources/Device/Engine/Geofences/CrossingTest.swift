package import Base
package import Contract

/// Finds the crossings of one circle where the platform has no fences of its own (SDK §15.3; the numbers are our
/// choice). A host tests each circle at each tick while the device moves and reports a crossing after a delay.
package struct CrossingTest: Equatable, Sendable {
  package static let tick = Nanoseconds.seconds(5)
  static let longestDelay = Nanoseconds.seconds(10)
  /// A bad fix near the rim is no exit: it must be beyond its own accuracy, up to this.
  static let widestMarginMetres = 20.0

  /// Nil before the first test.
  package private(set) var isInside: Bool?

  package init(isInside: Bool? = nil) { self.isInside = isInside }

  /// `enter` or `exit` when the device has crossed the rim. The first test only finds out where it is.
  package mutating func test(
    _ place: Coordinate, accuracyMetres: Double, against circle: Circle
  ) -> GeofenceTrigger.Action? {
    let distance = circle.center.distanceMetres(to: place)
    let margin = min(max(accuracyMetres, 0), CrossingTest.widestMarginMetres)
    let now =
      distance <= circle.radiusMetres
      ? true : distance > circle.radiusMetres + margin ? false : isInside ?? false
    defer { isInside = now }
    guard let before = isInside, before != now else { return nil }
    return now ? .enter : .exit
  }

  /// How late the crossing is reported; `fraction` is a draw of 0 ..< 1.
  package static func delay(_ fraction: Double) -> Nanoseconds {
    Nanoseconds(Int64(Double(longestDelay.count) * fraction))
  }
}
