import Base
import FleetSimulator
import Network
import Scenario
import Telemetry

/// A run that is ready to begin.
struct PreparedRun {
  let scenario: Scenario
  var setup: RunSetup
  let measures: Measures
  let outputs: RunOutputs
  /// Its control by a user; nil without a control room.
  let steering: RunSteering?

  /// A shard of a run.
  init(_ scenario: Scenario, _ setup: RunSetup, _ measures: Measures, _ outputs: RunOutputs) {
    (self.scenario, self.setup, self.measures, self.outputs, steering) = (scenario, setup, measures, outputs, nil)
  }

  init(_ scenario: Scenario, _ options: SimulationOptions) throws {
    var scenario = scenario
    scenario.limitGeneratorLag()
    var setup = try RunSetup(scenario, files: options.files)
    if let shard = options.shard { setup = setup.part(shard) }
    steering = options.dashboard.map { _ in
      RunSteering(scenario, &setup, document: options.document.adopting(scenario, keepsJudgement: true))
    }
    measures = try Measures(scenario, setup, processorTime: ProcessorClock.now)
    outputs = try RunOutputs(scenario, setup, folder: options.folder)
    setup.logged = outputs.devicesLogged(of: setup)
    (self.scenario, self.setup) = (scenario, setup)
  }
}

/// The places where a run can be followed while it lasts.
struct LiveOutputs {
  /// Figures that Prometheus reads.
  var listener: MetricsListener?
  private(set) var telemetry: RunTelemetry?
  private(set) var dashboard: Dashboard?

  /// Opens those that need a target that was found.
  mutating func open(for run: inout PreparedRun, _ options: SimulationOptions, _ process: ProcessContext) throws {
    let outputs = run.outputs
    run.setup.tracedShare = RunTelemetry.tracedShare(run.scenario, devices: run.setup.deviceNames.count)
    telemetry = try RunTelemetry(
      run.scenario, run.setup, run.measures, version: Product.version, shard: options.shard?.text,
      wallNow: { SystemClock().wallNow }
    ) { outputs.append(toHistogramLog: $0) }
    if let steering = run.steering, let room = options.dashboard {
      dashboard = try Dashboard(steering, run.scenario, run.setup, room, process)
    }
  }

  func stop() {
    dashboard?.stop()
    telemetry?.abandon()
    listener?.stop()
  }
}
