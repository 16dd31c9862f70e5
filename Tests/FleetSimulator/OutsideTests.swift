import Base
import CurlTransport
import FleetSimulator
import IngestServer
import Oracle
import Scenario
import Store
import Testing
import Vocabulary
import World

/// Runs by the machine's clock, over sockets.
@Suite struct OutsideTests {
  private func setup(_ url: String, minutes: Int64 = 5) -> RunSetup {
    var setup = Runs.setup(seed: 1, minutes: minutes, Runs.drivers(4, radio: .constant(.lte)))
    setup.outside = OutsideSetup(url: url, isOurs: true)
    return setup
  }

  @Test func anAcceleratedRunDeliversAllRecords() throws {
    let server = try Runs.server()
    defer { server.stop() }
    let transport = try FleetTransport(TransportConfiguration())
    let report = try FleetRun(setup(server.url + "/locations"), over: transport, factor: 300).run()
    #expect(report.violations == [])
    #expect(report.sums.created > 20)
    #expect(report.sums.pending == 0 && report.sums.unverified == report.sums.created)
    #expect(report.drained != nil)
    #expect(report.generatorLag.count > 100)
  }

  @Test func aRunKnowsItsServerAndCountsItsConnections() throws {
    let server = try Runs.server()
    defer { server.stop() }
    let read = try ScenarioReader().read(
      "{ version: 1, name: \"n\", clock: { mode: \"accelerated\", factor: 300, duration: \"5m\" },"
        + " target: { url: \"\(server.url)/locations\", preset: \"rollingroad\" }, fleets: { cars: { devices: 4 } } }")
    let setup = try RunSetup(read.scenario)
    #expect(try setup.outside?.askVersion() == "Rolling Road \(Product.version)")
    let measures = try Measures(read.scenario, setup)
    var most = 0
    let run = try FleetRun(setup, to: RunDestination(of: setup) { try Runs.store() }, watchers: [measures])
    let report = try run.run { _, _ in most = max(most, measures.progress.connections ?? -1) }
    #expect((1...8).contains(most))
    let summary = measures.summary(of: report, hash: "", product: "")
    guard case .gauge(let levels)? = summary.figure("connections_open") else {
      Issue.record("the connections are no gauge")
      return
    }
    #expect((1...8).contains(levels.greatest ?? 0))
  }

  /// By such a clock each wake-up is minutes late, also the last one of the drives.
  @Test func noDeviceReturnsFromBehindTheEndOfTheDrives() throws {
    let server = try Runs.server()
    defer { server.stop() }
    let hours = DeviceHours()
    let run = try FleetRun(
      setup(server.url + "/locations", minutes: 60),
      to: .outside(FleetTransport(TransportConfiguration()), factor: 100_000, TargetAccess()), watchers: [hours])
    _ = try run.run()
    #expect(hours.eventCount > 100 && hours.returns == [])
  }

  @Test func runsOfOneSeedLeaveTheirRecordsSideBySide() throws {
    let server = try Runs.server()
    defer { server.stop() }
    var created = 0
    for number in 1...2 {
      var setup = setup(server.url + "/locations", minutes: 2)
      setup.outside?.runNumber = UInt64(number)
      created += try FleetRun(setup, over: FleetTransport(TransportConfiguration()), factor: 300).run().sums.created
    }
    let destination = try RunDestination(of: setup(server.url + "/locations")) { try SQLiteStore(.scratch) }
    guard case .outside(_, _, let access) = destination else { return #expect(Bool(false), "no real server") }
    let proof = try #require(access.proof)
    var uuids: [UUID128] = []
    proof.forEachRecord(of: nil) { _, uuid in uuids.append(uuid) }
    #expect(Set(uuids).count == uuids.count)
    #expect(uuids.count == created)
  }

  @Test func aWishEndsARunEarly() throws {
    let server = try Runs.server()
    defer { server.stop() }
    let interruption = Interruption()
    let run = try FleetRun(
      setup(server.url + "/locations", minutes: 60), over: FleetTransport(TransportConfiguration()), factor: 60,
      interruption: interruption)
    let report = try run.run { _, sums in
      if sums.created > 0 { interruption.request() }
    }
    #expect(report.ending == .signal)
    #expect(report.sums.created > 0 && report.sums.isBalanced)
  }
}

/// The times of the events of each device, and where one is before the last.
private final class DeviceHours: Watcher {
  private(set) var eventCount = 0
  private(set) var returns: [String] = []
  private var latest: [Int: MonotonicInstant] = [:]

  func see(_ event: SimulationEvent, _ context: EventContext) {
    eventCount += 1
    let now = context.now.monotonic
    if let latest = latest[context.device], now < latest {
      returns.append("\(event) at \(now.clockText), after \(latest.clockText)")
    }
    latest[context.device] = now
  }
}
