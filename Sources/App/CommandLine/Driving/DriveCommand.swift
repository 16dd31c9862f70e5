import Base
import Contract
import Drive
import JSON
import Scenario

extension Command {
  static let drive = Command(
    name: "drive",
    summary: "be one phone on the terminal, and see what the server does to it",
    operands: "",
    operandCount: 0...0,
    flags: [
      .value("target", "URL", "the server, or the very URL of uploads [http://127.0.0.1:8080]"),
      .value("preset", "NAME", TargetPreset.names + ": whose dialect the server speaks", standard: "rollingroad"),
      .value("platform", "NAME", "ios or android", standard: "ios"),
      .value("device", "NAME", "what the device calls itself", standard: "drive"),
      .value("config", "FILE", "a JSON object with configuration of the SDK, in groups or flat"),
      .value("token", "TOKEN", "the access token of uploads", isSecret: true),
      .value(
        "log-level", "LEVEL", "lines of the SDK's own log: off, error, warning, info, debug or verbose",
        standard: "warning"),
      .value("at", "LAT,LON", "where the phone is at first", standard: "48.137,11.575"),
      .value("seed", "SEED", "what every chance follows from: streets, noise, uuids [another one each time]"),
      .value("keys", "SCRIPT", "press these keys and end, as in \"d 90s s drain\""),
      .value("factor", "N", "the phone lives so much faster while it does not wait for the network", standard: "1"),
      .toggle("strict", "exit code 1 when the server has broken a clause"),
    ],
    details: """
      The phone has the engine, the queue and the uploader of the SDK, and runs in real time. Each request is
      shown with its answer, and with what is wrong about the answer: what the SDK would not understand, what
      would make it lose records or send them for ever. 'v' lists the clauses that the server has kept and broken.

      keys:

      \(DriveKey.table)

      A script has letters or words of this list, times to wait (90s, 5m, by the phone's clock) and 'drain', which
      waits until the queue is empty, at most a minute. Without --keys and without a terminal the script is
      read from the standard input, and from a # on a line is a remark. What comes true of the records is said
      at the end. With a factor the phone's clock runs ahead, and so do the times of its records.
      """,
    run: { (invocation) throws(UsageError) in try DriveCommand(invocation).run() })
}

/// One run of `drive`.
struct DriveCommand {
  private let process: ProcessContext
  private let settings: DriveSettings
  private let script: [DriveStep]?
  private let factor: Double
  private let isStrict: Bool
  private let intro: String

  init(_ invocation: Invocation) throws(UsageError) {
    let values = invocation.values
    process = invocation.process
    isStrict = values.isOn("strict")
    factor =
      try values.read("factor", expected: "a number from 0.1 to 3600") { text in
        Double(text).flatMap { (0.1...3_600).contains($0) ? $0 : nil }
      } ?? 1
    if let text = values.text("keys") {
      do throws(DriveScriptError) { script = try DriveStep.script(text) } catch {
        throw UsageError("--keys: \(error)")
      }
    } else {
      script = nil
    }
    settings = try DriveSettings(values, process)
    intro = "\(settings.platform.rawValue) phone '\(values.text("device") ?? "")', uploads to \(settings.url)"
  }

  func run() throws(UsageError) -> ExitCode {
    guard script != nil || process.terminal != nil || process.input != nil else {
      throw UsageError("there is no terminal and no standard input; say --keys")
    }
    let console = script == nil ? process.terminal.flatMap { DriveConsole(terminal: $0) } : nil
    let screen = DriveScreen(console: console, write: process.writeOutput)
    screen.show("\(intro)\(console == nil ? "" : "; ? lists the keys")")
    do {
      let session = try DriveSession(settings, factor: factor, screen: screen, ownsSignals: process.ownsSignals)
      let end = try session.run(script: script, input: script == nil && console == nil ? process.input : nil)
      screen.finish()
      process.writeOutput(session.summary)
      if case .badScript(let message) = end { throw UsageError(message) }
      if end == .signal { return .stoppedBySignal }
      return isStrict && session.hasFindings ? .runtimeFailure : .ok
    } catch let error as UsageError {
      throw error
    } catch {
      screen.finish()
      process.writeError("rollingroad drive: \(error)")
      return .runtimeFailure
    }
  }
}
