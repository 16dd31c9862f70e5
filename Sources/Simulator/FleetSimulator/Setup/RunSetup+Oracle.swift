import Base
import IngestServer
import Oracle
import Scenario
import World

extension RunSetup {
  /// Returns what the oracle knows of the run.
  func judged(with sight: StoreVisibility) -> JudgedRun {
    // Presets of other servers change the form of requests.
    let isAsConfigured = outside.map { $0.preset == nil || $0.preset == .rollingroad } ?? true
    let fleets = fleets.map { fleet in
      JudgedRun.Fleet(
        name: fleet.name, members: fleet.simulated, configuration: isAsConfigured ? fleet.configuration : nil,
        behaviour: fleet.behaviour)
    }
    var run = JudgedRun(seed: seed, fleets: fleets, radio: radio, sight: sight)
    (run.zoneOffsetSeconds, run.zoneChanges) = (zoneOffsetSeconds, zoneChanges)
    run.targetHeaders = outside?.headers.map(\.name) ?? insideHeaders.map(\.name)
    (run.checked, run.ending, run.breaking) = (invariants, endingInvariants, breakingInvariant)
    run.tokenURL = authorization?.strategy == .jwt ? authorization?.tokenURL : nil
    run.tokenLifetime = authorization?.accessTokenLifetime
    run.ordersCommands = faults.contains { if case .remote = $0.action { true } else { false } }
    run.keptFields = outside?.verification.kept ?? []
    run.bodyBytesMax = sight == .inside ? ServerConfiguration().bodyBytesMax : nil
    run.clockFactor = outside?.factor ?? 1
    run.lateness = outside.map { $0.lockstep == nil } ?? false ? JudgedRun.latenessMost : .zero
    return run
  }
}
