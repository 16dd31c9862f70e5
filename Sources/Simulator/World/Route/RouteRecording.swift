package import Base

/// A route as a file has it: places in their order, with times if it has them.
package struct RouteRecording: Equatable, Sendable {
  /// At least one.
  package let points: [RoutePoint]

  package init(points: [RoutePoint], end: FileSpot) throws(RouteError) {
    guard !points.isEmpty else {
      throw RouteError(.empty, at: end, "the file has no points; a route needs at least one")
    }
    self.points = points
  }

  /// Made by the program; at least one place.
  package init(places: [Coordinate]) {
    precondition(!places.isEmpty, "a route has at least one place")
    points = places.enumerated().map { RoutePoint(place: $1, at: FileSpot(line: $0 + 1)) }
  }

  package var hasTimes: Bool { points.allSatisfy { $0.time != nil } }

  func recordedMotion(factor: Double) throws(RouteError) -> Motion {
    var seconds: [Double] = []
    seconds.reserveCapacity(points.count)
    var previous: WallInstant?
    for point in points {
      guard let time = point.time else {
        throw RouteError(
          .missingTime, at: point.spot, "this point has no time; give it one, or let the timing be modelled")
      }
      if let previous, time < previous {
        throw RouteError(
          .timeStepsBack, at: point.spot,
          "this point is earlier than the one before it; put the points in order, or let the timing be modelled")
      }
      previous = time
      seconds.append(Double(time.milliseconds(since: points[0].time ?? time)) / (1e3 * factor))
    }
    return Motion(places: points.map(\.place), seconds: seconds)
  }
}
