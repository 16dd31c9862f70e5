/// Circles spread evenly over the place of the routes.
package struct GeofenceGrid: Equatable, Sendable {
  package var count = 100
  package var radiusMetres = 200.0
  package var notifyOnEntry = true
  package var notifyOnExit = true
  package var notifyOnDwell = false
  package var loiteringDelayMilliseconds = 0.0

  package init() {}
}

extension GeofenceGrid: ScenarioSection {
  static let table = Table<GeofenceGrid>(
    "geofence-grid", "Circles spread evenly over the place of the routes.",
    [
      .key("count", \.count, .integer(1...100_000), "How many."),
      .key("radius", \.radiusMetres, .quantity(.length), "Their radius; phones are unreliable below 200 m."),
      .key("notifyOnEntry", \.notifyOnEntry, .boolean, "Report who comes in."),
      .key("notifyOnExit", \.notifyOnExit, .boolean, "Report who goes out."),
      .key("notifyOnDwell", \.notifyOnDwell, .boolean, "Report who stays."),
      .key(
        "loiteringDelay", \.loiteringDelayMilliseconds, .number(0...864e5),
        "After how many milliseconds somebody stays."),
    ])
}
