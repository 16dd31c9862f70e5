internal import JSON

/// Everything that a scenario file says, checked as far as a file alone can be.
package struct Scenario: Equatable, Sendable {
  package var name = ""
  package var seed: UInt64 = 1
  package var clock = Clock()
  package var target = Target()
  package var sdk = SDK()
  package var routes: [Named<Route>] = []
  package var motions: [Named<Motion>] = []
  package var geofences: [Named<GeofenceSet>] = []
  package var networks: [Named<Network>] = []
  package var fleets: [Named<Fleet>] = []
  package var faults: [Fault] = []
  package var checks: [Named<Condition>] = []
  package var thresholds: [MetricThresholds] = []
  package var invariants = InvariantSelection()
  package var coverage = Coverage()
  package var outputs: [Output] = []
  /// Of the language, for files of later versions.
  private var version = 1

  package init() {}
}

extension Scenario: ScenarioSection {
  static let table = Table<Scenario>(
    "scenario", "What drives where, over which networks, at which server, what goes wrong, and what must hold.",
    [
      .optional("$schema", \.schema, .text, "The schema, for editors; `rollingroad schema` prints it."),
      .required("version", \.version, .integer(1...1), "The version of this language: 1."),
      .required("name", \.name, .text, "What the scenario is called in reports."),
      .optional("description", \.schema, .text, "What the scenario shows, in a sentence."),
      .key("seed", \.seed, .seed, "What every chance of the run follows from."),
      .key("clock", \.clock, .section(), "How time passes."),
      .key("target", \.target, .section(), "The server that is driven at."),
      .key("sdk", \.sdk, .section(), "Which SDK the devices run, and how their app configures it."),
      .key("routes", \.routes, .map(of: .route), "Where devices move, by name."),
      .key("motion", \.motions, .map(of: .section()), "How bodies move and sensors err, by name."),
      .key("geofences", \.geofences, .map(of: .geofences), "Sets of geofences, by name."),
      .key("networks", \.networks, .map(of: .network), "Networks, by name."),
      .required("fleets", \.fleets, .map(of: .fleet), "Devices that are alike, by name."),
      .key("faults", \.faults, .list(of: .fault), "What goes wrong, for whom, and when."),
      .key("checks", \.checks, .map(of: .condition()), "What every answer should be like, by name."),
      .key("thresholds", \.thresholds, .thresholds, "Figures that the run must reach, by metric."),
      .key("invariants", \.invariants, .section(), "Which invariants are checked."),
      .key("coverage", \.coverage, .section(), "What must have happened over many seeds."),
      .key("outputs", \.outputs, .list(of: .output), "Where results go, besides those that `--out` always has."),
    ])

  /// For people and their editors: nothing follows from it.
  private var schema: String? {
    get { nil }
    set {}
  }
}

extension Form where Value == UInt64 {
  /// A number, or a text with up to 64 bits, `"0x5EED2026"`.
  fileprivate static var seed: Form {
    let words = "a whole number of at most 64 bits, as in 42 or \"0x5EED2026\""
    let text = Shape.text(pattern: "^(0x[0-9A-Fa-f]{1,16}|[0-9]{1,20})$", words: words)
    return Form(.anyOf([.integer(0...Int64.max), text]), show: { .integer(Int64(clamping: $0)) }) { value, reading in
      switch value.content {
      case .integer(let number) where number >= 0: return UInt64(number)
      case .string(let text):
        let digits = text.hasPrefix("0x") ? text.dropFirst(2) : text[...]
        let isPlain = digits.utf8.allSatisfy { $0 != 0x2B && $0 != 0x2D }
        if isPlain, let seed = UInt64(digits, radix: text.hasPrefix("0x") ? 16 : 10) { return seed }
      case .null, .bool, .integer, .double, .array, .object: break
      }
      reading.refuse(value, expected: words)
      return nil
    }
  }
}
