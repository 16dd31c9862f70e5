import CurlTransport
import FleetSimulator
import Glibc
import JSON
import Oracle
import Scenario
import Store
import Support
import Testing
import Threaded
import Upload

@testable import CommandLine

/// A real server that dies in the middle of a run over sockets, and comes back with the folder that it had. In lockstep the
/// devices' time waits for it, however slow the machine is.
@Suite(.waits, .timeLimit(.minutes(10))) struct KilledServerTests {
  private static let scenario = """
    {
      version: 1, name: "killed", seed: 3, clock: { mode: "lockstep", latency: "modelled", duration: "4m", settle: "2m" },
      target: { verify: { method: "admin" } },
      sdk: { config: { geolocation: { distanceFilter: 10, disableElasticity: true } } },
      fleets: { cars: { devices: 4, motion: "driving", network: "wifi" } },
    }
    """

  @Test func whatItAcknowledgedIsThereAfterKill9() throws {
    let folder = try TemporaryFolder()
    let killer = try Killer(serving: folder.path)
    let target = Override(origin: "test", path: "target.url", value: killer.url)
    let scenario = try ScenarioReader(overrides: [target]).read(Self.scenario).scenario
    let setup = try RunSetup(scenario)
    let destination = try RunDestination(of: setup) { try SQLiteStore(.scratch) }
    let report = try FleetRun(setup, to: destination, watchers: [killer]).run()
    #expect(killer.kills == 2 && killer.problem == nil)
    #expect(killer.failures > 0, "requests that were under way, or came while no server was there")
    #expect(report.violations == [] && report.proofRefusal == nil)
    #expect(report.sums.lost == 0 && report.sums.stored == report.sums.created && report.sums.created > 100)
  }
}

/// A limit on the size of files is a full disk to the server (`ulimit -f`, in units of 512 bytes or 1 KiB).
@Suite(.waits, .timeLimit(.minutes(10))) struct FileLimitTests {
  @Test func aFileThatMayNotGrowIsAnOutageAndNoEnd() throws {
    let folder = try TemporaryFolder()
    let node = try DatabaseNode(["--data", folder.file("data"), "--journal", "off"], behind: "ulimit -f 3000")
    var (stored, status) = (0, 200)
    let note = String(repeating: "n", count: 20_000)
    for number in 0..<2_000 where status == 200 {
      let record =
        #"{"uuid":"\#(DatabaseNode.uuid(number))","timestamp":"2026-11-20T12:00:00.000Z","coords":{"latitude":1,"longitude":2},"extras":{"note":"\#(note)"}}"#
      status = try node.send("POST", "/locations", #"{"device_id":"phone","location":\#(record)}"#).answer().status
      if status == 200 { stored += 1 }
    }
    #expect([503, 507].contains(status) && stored > 0, "\(stored) stored, then \(status)")
    #expect(try node.send("GET", "/healthz").answer().status == 200)
    #expect(try node.ask("GET", "/admin/v1/stats")["records"] == .integer(Int64(stored)))
    #expect(node.stop() == 0)
  }
}

/// Kills the server with the request that is just being sent, and starts it again with the first one that fails.
private final class Killer: Watcher {
  private let folder: String
  private var server: SpokenChild?
  private(set) var url: String
  private(set) var kills = 0
  private(set) var failures = 0
  private(set) var problem: (any Error)?
  private var sent = 0

  private static let requestsBetween = 40

  init(serving folder: String) throws {
    self.folder = folder
    let first = try Self.start(folder, at: "127.0.0.1:0")
    server = first
    url = try first.line(beginningWith: "listening ")
  }

  private static func start(_ folder: String, at address: String) throws -> SpokenChild {
    try SpokenChild([
      BuiltProgram.path(of: "rollingroad"), "serve", "--listen", address, "--data", folder, "--loops", "1",
    ])
  }

  func see(_ happening: SimulationEvent, _ sighting: EventContext) {
    switch happening {
    case .sent:
      sent += 1
      guard sent % Killer.requestsBetween == 0, kills < 2, let running = server else { return }
      kills += 1
      running.process.signal(SIGKILL)
      _ = running.process.exitCode()
      server = nil
    case .ended(_, .failed):
      failures += 1
      guard server == nil else { return }
      do {
        let again = try Self.start(folder, at: String(url.dropFirst("http://".count)))
        _ = try again.line(beginningWith: "listening ")
        server = again
      } catch { problem = error }
    default: break
    }
  }
}
