import FleetSimulator
import Scenario

/// What the command line says about a run beside the scenario.
struct SimulationOptions {
  /// Of the scenario's file, or the name of one that is built in: routes are read beside it.
  var path: String
  var checksDeterminism = false
  var isQuiet = false
  /// A broken clause fails the run.
  var isStrict = false
  /// Other seeds follow: what is as it should be takes one line.
  var isOneOfMany = false
  /// `--out`.
  var folder: String?
  var shard: Shard?
  /// `--admin-token`, that of the target.
  var adminToken: String?
  /// What was typed behind `simulate`.
  var words: [String] = []
  /// Of everything that the run follows from.
  var scenarioHash: String
  var document: ScenarioDocument
  /// What was said of the scenario.
  var notes: [String] = []
}
