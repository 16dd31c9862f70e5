import Base

/// Geofences of all kinds, around the middle of the city.
extension ScenarioGenerator {
  private static let middle = (latitude: 48.137, longitude: 11.575)

  /// Returns a grid of circles, few or more than any system monitors, or single circles, small and very large, and polygons.
  mutating func geofences() -> String {
    let dwell = one(of: ["", #", "notifyOnDwell": true, "loiteringDelay": \#(one(of: ["0", "30000", "300000"]))"#])
    let flags = one(of: ["", "", #", "notifyOnEntry": false"#, #", "notifyOnExit": false"#])
    if stream.chance(0.5) {
      let (count, radius) = (one(of: ["4", "25", "60", "120"]), one(of: ["150m", "200m", "400m"]))
      return #"{ "type": "grid", "count": \#(count), "radius": "\#(radius)"\#(dwell)\#(flags) }"#
    }
    let fences = (0..<2 + stream.index(below: 8)).map { number in
      #"{ "identifier": "fence-\#(number)", \#(shape())\#(dwell)\#(flags) }"#
    }
    return #"{ "type": "list", "fences": [\#(fences.joined(separator: ", "))] }"#
  }

  private mutating func shape() -> String {
    stream.chance(0.5) ? polygon(metres: 200...1_100) : circle(radii: ["150", "250", "500", "1500", "2000"])
  }

  mutating func circle(radii: [String]) -> String {
    let (latitude, longitude) = place(within: 3_000)
    return #""latitude": \#(latitude), "longitude": \#(longitude), "radius": \#(one(of: radii))"#
  }

  mutating func polygon(metres: ClosedRange<Double>) -> String {
    let (latitude, longitude) = place(within: 3_000)
    let corners = 3 + stream.index(below: 5)
    let radius = metres.lowerBound + (metres.upperBound - metres.lowerBound) * stream.uniform()
    let vertices = (0..<corners).map { corner in
      let angle = PortableMath.sineAndCosine(degrees: 360 * Double(corner) / Double(corners))
      let length = radius * (0.6 + 0.4 * stream.uniform())
      return "[\(latitude + length * angle.cosine / 111_200), \(longitude + length * angle.sine / 74_400)]"
    }
    return #""vertices": [\#(vertices.joined(separator: ", "))]"#
  }

  private mutating func place(within metres: Double) -> (latitude: Double, longitude: Double) {
    let (east, north) = ((2 * stream.uniform() - 1) * metres, (2 * stream.uniform() - 1) * metres)
    return (ScenarioGenerator.middle.latitude + north / 111_200, ScenarioGenerator.middle.longitude + east / 74_400)
  }
}
