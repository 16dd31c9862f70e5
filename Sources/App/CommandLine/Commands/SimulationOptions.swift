import Base
import FleetSimulator
import Scenario

/// The settings of a run besides the scenario.
struct SimulationOptions {
  /// The files that the scenario names.
  var files: RouteFiles
  var checksDeterminism = false
  var isQuiet = false
  /// Whether a broken clause, or an unverified store, fails the run.
  var isStrict = false
  /// Whether it is one of several seeds: a passed run is reported in one line.
  var isOneOfMany = false
  /// `--out`.
  var folder: String?
  var shard: Shard?
  var processes = ProcessCount.fixed(1)
  var start: RunStart?
  /// `--admin-token` of the target.
  var adminToken: String?
  /// The words after `simulate`.
  var words: [String] = []
  /// The hash of everything that determines the run.
  var scenarioHash: String
  var document: ScenarioDocument
  var places: ScenarioPlaces
  /// The names of the scenario and of its overrides.
  var sources: [String] = []
  /// Notes about the scenario.
  var notes: [String] = []
  /// Nil: the run has no control room.
  var dashboard: DashboardOptions?

  /// The command line without its secrets.
  static func command(_ words: [String]) -> String {
    "rollingroad simulate " + words.map { SecretRedaction.removed(from: $0).shellWord }.joined(separator: " ")
  }
}
