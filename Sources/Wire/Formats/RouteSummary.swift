package import Base

/// The duration, distance and speed of a recording, with its gaps and stops.
package struct RouteSummary: Sendable {
  /// A period that begins at one point and ends at a later one.
  package struct Span: Equatable, Sendable {
    package let start: RoutePoint
    package let duration: Nanoseconds
    /// The straight distance from its first point to its last.
    package let distanceMetres: Double
  }

  /// Thresholds for stops and gaps.
  private enum Limits {
    static let restRadiusMetres = 25.0
    static let shortestStop = Nanoseconds.seconds(60)
    static let shortestGap = Nanoseconds.seconds(30)
    /// The minimum length of a gap as a multiple of the usual interval: a recording with a point per minute has no gap of a
    /// minute.
    static let gapToInterval: Int64 = 5
  }

  package let pointCount: Int
  /// The number of points with a time.
  package let timedCount: Int
  package let distanceMetres: Double
  package let bounds: RouteBounds
  /// The first point that is earlier than the one before it.
  package private(set) var stepBack: RoutePoint?
  /// The duration; nil unless every point has a time and times never go back: otherwise nothing below is known.
  package private(set) var duration: Nanoseconds?
  package private(set) var medianInterval = Nanoseconds.zero
  /// Metres per second, without the stops.
  package private(set) var movingSpeed: Double?
  /// Metres per second, between two consecutive points.
  package private(set) var fastest: (speed: Double, point: RoutePoint)?
  /// Intervals that are much longer than the usual one.
  package private(set) var gaps: [Span] = []
  /// Periods of at least a minute within 25 metres.
  package private(set) var stops: [Span] = []

  package init(_ recording: RouteRecording) {
    let points = recording.points
    pointCount = points.count
    timedCount = points.count { $0.time != nil }
    distanceMetres = zip(points, points.dropFirst()).reduce(0) { $0 + $1.0.place.distanceMetres(to: $1.1.place) }
    bounds = RouteBounds(points.map(\.place))
    stepBack =
      zip(points, points.dropFirst()).first { pair in
        guard let first = pair.0.time, let second = pair.1.time else { return false }
        return second < first
      }?.1
    let times = points.compactMap(\.time)
    guard stepBack == nil, times.count == points.count, let first = times.first, let last = times.last else { return }
    duration = RouteSummary.span(first, last)
    let intervals = zip(times, times.dropFirst()).map { RouteSummary.span($0, $1) }
    if !intervals.isEmpty { medianInterval = intervals.sorted()[intervals.count / 2] }
    let rests = RouteSummary.rests(points, times)
    stops = rests.map { rest in
      let (from, to) = (points[rest.lowerBound], points[rest.upperBound])
      return Span(
        start: from, duration: RouteSummary.span(times[rest.lowerBound], times[rest.upperBound]),
        distanceMetres: from.place.distanceMetres(to: to.place))
    }
    judgeSteps(points, intervals)
    let still = stops.reduce(Nanoseconds.zero) { min($0 + $1.duration, RouteSummary.longest) }
    let moving = (duration ?? .zero) - still
    if moving > .zero { movingSpeed = RouteSummary.metresMoved(points, intervals, besides: rests) / moving.seconds }
  }

  /// Returns the length of the steps that take time, without those within a rest.
  private static func metresMoved(
    _ points: [RoutePoint], _ intervals: [Nanoseconds], besides rests: [ClosedRange<Int>]
  ) -> Double {
    var (metres, next) = (0.0, 0)
    for (index, interval) in intervals.enumerated() {
      while next < rests.count, rests[next].upperBound <= index { next += 1 }
      if interval == .zero || next < rests.count && rests[next].lowerBound <= index { continue }
      metres += points[index].place.distanceMetres(to: points[index + 1].place)
    }
    return metres
  }

  private mutating func judgeSteps(_ points: [RoutePoint], _ intervals: [Nanoseconds]) {
    let gap = max(Limits.shortestGap, medianInterval * Limits.gapToInterval)
    for (index, interval) in intervals.enumerated() {
      let (from, to) = (points[index], points[index + 1])
      let distance = from.place.distanceMetres(to: to.place)
      if interval > .zero, distance / interval.seconds > fastest?.speed ?? 0 {
        fastest = (distance / interval.seconds, to)
      }
      // A silence at one place is a stop, not a gap.
      if interval > gap, distance > Limits.restRadiusMetres {
        gaps.append(Span(start: from, duration: interval, distanceMetres: distance))
      }
    }
  }

  /// Returns the points of each stop, the first one to the last.
  private static func rests(_ points: [RoutePoint], _ times: [WallInstant]) -> [ClosedRange<Int>] {
    var rests: [ClosedRange<Int>] = []
    var (start, end) = (0, 0)
    func isNear(_ index: Int) -> Bool {
      points[start].place.distanceMetres(to: points[index].place) <= Limits.restRadiusMetres
    }
    while true {
      end = max(end, start)
      while end < points.count, span(times[start], times[end]) < Limits.shortestStop { end += 1 }
      guard end < points.count else { return rests }
      // Backwards, so that a body that has left is detected at once.
      guard (start...end).reversed().allSatisfy(isNear) else {
        start += 1
        continue
      }
      while end + 1 < points.count, isNear(end + 1) { end += 1 }
      rests.append(start...end)
      start = end
    }
  }

  /// Thirty years: no recording is longer, and a wrong year must not overflow.
  private static let longest = Nanoseconds.milliseconds(1_000_000_000_000)

  private static func span(_ start: WallInstant, _ end: WallInstant) -> Nanoseconds {
    .milliseconds(min(end.milliseconds(since: start), longest.wholeMilliseconds))
  }
}

/// The bounding box of places. West is greater than east if it crosses the antimeridian because that makes it smaller.
package struct RouteBounds: Equatable, Sendable {
  package let south: Double
  package let west: Double
  package let north: Double
  package let east: Double

  /// Requires at least one place.
  init(_ places: [Coordinate]) {
    precondition(!places.isEmpty, "nothing has no bounds")
    let latitudes = places.map(\.latitude)
    (south, north) = (latitudes.min() ?? 0, latitudes.max() ?? 0)
    let plain = RouteBounds.extent(places.map(\.longitude))
    let turned = RouteBounds.extent(places.map { $0.longitude < 0 ? $0.longitude + 360 : $0.longitude })
    let best = turned.east - turned.west < plain.east - plain.west ? turned : plain
    (west, east) = (best.west, best.east > 180 ? best.east - 360 : best.east)
  }

  private static func extent(_ longitudes: [Double]) -> (west: Double, east: Double) {
    (longitudes.min() ?? 0, longitudes.max() ?? 0)
  }
}
