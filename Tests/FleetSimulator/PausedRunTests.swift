import Base
import IngestServer
import Oracle
import Scenario
import Synchronization
import Testing
import Threads

@testable import FleetSimulator

/// A pause of a run at a real server.
@Suite struct PausedRunTests {
  /// `clock` is what the scenario says of it.
  private static func text(_ server: IngestServer, _ clock: String) -> String {
    """
    { version: 1, name: "paused", seed: 5, clock: { duration: "10m", settle: "2m", \(clock) },
      target: { url: "\(server.url)/locations", preset: "rollingroad" }, fleets: { cars: { devices: 4 } } }
    """
  }

  private final class Ending: Sendable {
    let report = Mutex<Result<RunReport, any Error>?>(nil)
  }

  /// Submits an act and waits for what becomes of it.
  private func done(_ act: RunAct, by steering: RunSteering) throws -> RunSteering.Entry {
    let settled = Handed()
    _ = try steering.submit(act) { settled.set($0) }
    return settled.wait()
  }

  @Test(arguments: [#"mode: "accelerated", factor: 120"#, #"mode: "lockstep", latency: "modelled""#])
  func timeStandsStillUntilTheRunIsResumed(clock: String) throws {
    let server = try Runs.server()
    defer { server.stop() }
    let read = try ScenarioReader().read(Self.text(server, clock))
    var setup = try RunSetup(read.scenario)
    let steering = RunSteering(read.scenario, &setup, document: read.document, places: 1)
    steering.beginWatching()
    let (prepared, ending) = (setup, Ending())
    let early = try steering.submit(.pause)
    let thread = NamedThread.started("run") {
      let result = Result<RunReport, any Error> {
        try FleetRun(
          prepared, to: RunDestination(of: prepared) { try Runs.store() }, watchers: [], steering: steering
        ).run()
      }
      ending.report.withLock { $0 = result }
    }
    // An act that changes nothing tells what time it is. Until the view of the pause a run that goes on would come far.
    let first = try done(.killApps(RunAct.AppKill(.share(0))), by: steering)
    #expect(steering.isPaused && early == 1)
    let seen = steering.view?.instant
    while steering.view?.isPaused != true, ending.report.withLock({ $0 == nil }) {
      _ = Semaphore().wait(milliseconds: 5)
    }
    let second = try done(.killApps(RunAct.AppKill(.share(0))), by: steering)
    let (one, two) = (try #require(first.appliedAt), try #require(second.appliedAt))
    #expect(two - one <= .milliseconds(1), "\(one) \(two) \(String(describing: seen))")
    #expect(ending.report.withLock { $0 == nil })
    _ = try done(.resume, by: steering)
    thread.join()
    let report = try #require(try ending.report.withLock { $0 }?.get())
    #expect(report.violations == [] && report.sums.created > 20 && report.sums.stored == report.sums.created)
    #expect(!steering.isPaused)
  }

  /// Time stands still in a pause, and with it the time that an interrupted run has to end.
  @Test func anInterruptionEndsAPausedRun() throws {
    let server = try Runs.server()
    defer { server.stop() }
    let read = try ScenarioReader().read(Self.text(server, #"mode: "accelerated", factor: 120"#))
    var setup = try RunSetup(read.scenario)
    let steering = RunSteering(read.scenario, &setup, document: read.document, places: 1)
    let (prepared, ending, interruption) = (setup, Ending(), Interruption())
    _ = try steering.submit(.pause)
    let thread = NamedThread.started("run") {
      let result = Result<RunReport, any Error> {
        try FleetRun(
          prepared, to: RunDestination(of: prepared) { try Runs.store() }, interruption: interruption, watchers: [],
          steering: steering
        ).run()
      }
      ending.report.withLock { $0 = result }
    }
    _ = try done(.killApps(RunAct.AppKill(.share(0))), by: steering)
    #expect(steering.isPaused)
    interruption.request()
    thread.join()
    let report = try #require(try ending.report.withLock { $0 }?.get())
    #expect(report.ending == .signal && report.sums.isBalanced && !steering.isPaused)
  }

  /// What one thread waits for and another one gives.
  private final class Handed: Sendable {
    private let entry = Mutex<RunSteering.Entry?>(nil)
    private let arrival = Semaphore()

    func set(_ entry: RunSteering.Entry) {
      self.entry.withLock { $0 = entry }
      arrival.signal()
    }

    func wait() -> RunSteering.Entry {
      while true {
        if let entry = entry.withLock({ $0 }) { return entry }
        arrival.wait()
      }
    }
  }
}
