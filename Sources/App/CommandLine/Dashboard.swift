import Base
import ControlRoom
import FleetSimulator
import Network
import Reports
import Scenario
import Threads

/// `--dashboard` and what goes with it.
struct DashboardOptions {
  /// `127.0.0.1:5665`.
  let listen: String
  let token: String?
  /// The room stays open after the run, also without a terminal.
  let waits: Bool
  /// What was typed, without what is secret.
  let command: String

  /// Nil without `--dashboard`. `words` are those behind `simulate`.
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

/// The control room of one run, and what there is to say of it.
struct Dashboard {
  /// It cannot listen.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  let steering: RunSteering
  private let process: ProcessContext
  /// A run in virtual time is over before a person has looked: on a terminal its room stays open until Ctrl-C.
  private let stays: Bool
  private let room: ControlRoom

  /// `steering` is that of the run of `scenario`.
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
