/// How a body moves and what its sensors make of it.
package struct Motion: Equatable, Sendable {
  package var speed = SpeedModel.driver(DriverSpeed())
  package var gps = GPSModel()
  /// The share of each motion activity that is reported while moving; sums up to 1.
  package var activity: [Named<Double>] = []

  package init() {}

  /// The mean speed on the way, stops left out.
  package var cruisingMetresPerSecond: Double {
    switch speed {
    case .driver(let driver): driver.desiredMetresPerSecond
    case .steady(let steady): steady.meanMetresPerSecond
    }
  }
}

extension Motion: ScenarioSection {
  static let table = Table<Motion>(
    "motion", "How a body moves and what its sensors make of it.",
    [
      .optional("extends", \.base, .name(in: .motion), "Another motion whose keys hold where this one has none."),
      .key("speed", \.speed, .speed, "How fast it moves; as a car in town when nobody says."),
      .key("gps", \.gps, .gps, "How the receiver errs; by about 4 m when nobody says."),
      .key("activity", \.activity, .activityShares, "What the motion sensor reports on the way, as shares."),
    ])

  /// Inheritance is over when a motion is read; the key is there to be checked.
  private var base: String? {
    get { nil }
    set {}
  }
}

extension Form where Value == [Named<Double>] {
  /// Shares of the SDK's motion activities.
  static var activityShares: Form {
    let names = ["still", "on_foot", "walking", "running", "on_bicycle", "in_vehicle", "unknown"]
    let shares = map(of: .share, names: names, what: "activity")
    return Form(shares.shape, show: shares.show) { value, reading in
      guard let read = shares.read(value, &reading) else { return nil }
      let sum = read.reduce(0) { $0 + $1.value }
      if !read.isEmpty && (sum - 1).magnitude > 1e-6 {
        reading.refuse(
          .contradiction, value.position, "the shares add up to \(sum.short)", remedy: "make them add up to 1")
      }
      return read
    }
  }
}
