import Base
import ControlRoom
import FleetSimulator
import Network
import Reports
import Scenario
import Threads

/// The values of `--dashboard` and its companions.
struct DashboardOptions {
  /// `127.0.0.1:5665`.
  let listen: String
  let token: String?
  /// Whether the control room stays open after the run, even without a terminal.
  let waits: Bool
  /// The command line without its secrets.
  let command: String

  /// Nil without `--dashboard`. `words` are those after `simulate`.
  init?(_ values: FlagValues, words: [String]) throws(UsageError) {
    guard let listen = values.value("dashboard") else {
      for flag in ["dashboard-token", "dashboard-wait"] where values.value(flag)?.origin == "--" + flag {
        throw UsageError("--\(flag) needs --dashboard ADDRESS")
      }
      return nil
    }
    for flag in ["seeds", "shard", "check-determinism"] where values.value(flag) != nil {
      throw UsageError("\(listen.origin) cannot be used with --\(flag): a control room steers one whole run")
    }
    token = values.text("dashboard-token")
    if token?.isEmpty == true { throw UsageError("--dashboard-token: the token is empty") }
    let address: ListenAddress
    do throws(NetworkError) { address = try ListenAddress(parsing: listen.text) } catch {
      throw UsageError("\(listen.origin): \(error)")
    }
    guard token != nil || address.address.isLoopback else {
      throw UsageError(
        "\(listen.origin): other machines can reach \(listen.text); set --dashboard-token, or listen at 127.0.0.1")
    }
    self.listen = listen.text
    waits = values.isOn("dashboard-wait")
    command = SimulationOptions.command(words)
  }
}

/// The control room of one run.
struct Dashboard {
  /// The control room cannot listen.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  let steering: RunSteering
  private let process: ProcessContext
  /// Whether the room stays open until Ctrl-C: on a terminal, for a run in virtual time, which is over at once.
  private let stays: Bool
  private let room: ControlRoom

  /// `steering` belongs to the run of `scenario`.
  init(
    _ steering: RunSteering, _ scenario: Scenario, _ setup: RunSetup, _ options: DashboardOptions,
    _ process: ProcessContext
  ) throws {
    let origin = RoomOrigin(
      product: Product.version, command: options.command, host: Machine.words, begun: SystemClock().wallNow)
    let stays = options.waits || process.errorIsTerminal && steering.recording != nil
    let run = WatchedRun(steering, scenario: scenario.name, setup, origin: origin, stays: stays) {
      PageReport($0, map: nil).text
    }
    do throws(NetworkError) {
      room = try ControlRoom(run, listen: options.listen, token: options.token)
    } catch {
      throw Failure(description: "--dashboard: \(error)")
    }
    (self.steering, self.process, self.stays) = (steering, process, stays)
    process.writeError("control room \(room.url)")
  }

  func serve(report: () -> RunSummary) { room.serve(report: report) }
  func end(_ summary: RunSummary) { room.end(summary) }
  func stop() { room.stop() }

  func waitForEnd(_ interruption: Interruption) {
    guard stays else { return }
    let end = Semaphore()
    interruption.onRequest { end.signal() }
    guard !interruption.isRequested else { return }
    process.writeError("the run is over; its control room stays open at \(room.url) until Ctrl-C")
    end.wait()
  }
}
