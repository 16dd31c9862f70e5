import Base
import Contract
import CurlTransport
import Drive
import FleetSimulator
import JSON
import Scenario

extension Subcommand {
  static let drive = Subcommand(
    name: "drive",
    summary: "control one simulated phone from the keyboard, and show every request and answer",
    operands: "",
    operandCount: 0...0,
    flags: [
      .value("target", "URL", "the server, or the full URL for uploads [http://127.0.0.1:8080]"),
      .value(
        "preset", "NAME",
        "\(TargetPreset.names): the server's dialect, with the device's name [as the app is configured]"),
      .value("platform", "NAME", "ios or android", standard: "ios"),
      .value(
        "behaviour", "NAME", "observed, as logs of real devices show the SDK, or documented", standard: "observed"),
      .value(
        "device", "NAME", "name of the device, for the preset and for ${device.id} in --config", standard: "drive"),
      .value(
        "config", "FILE",
        "SDK configuration as a JSON object, grouped or flat; missing keys have the SDK's defaults [tracking continues when the app is closed]"
      ),
      .value("token", "TOKEN", "access token for uploads", isSecret: true),
      .value(
        "log-level", "LEVEL", "how much of the SDK's own log to show: off, error, warning, info, debug or verbose",
        standard: "warning"),
      .value("at", "LAT,LON", "where the phone starts", standard: "48.137,11.575"),
      .value("seed", "SEED", "random seed of streets and noise; uuids are always new [a new one each time]"),
      .value("keys", "SCRIPT", "press these keys and quit, as in \"d 90s s drain\""),
      .value("factor", "N", "speed of the phone between requests, as a multiple of real time", standard: "1"),
    ] + VerifyFlag.all + [
      .value("quarantined", "URL", "URL that lists quarantined records, in the same format"),
      .value("admin-token", "TOKEN", "admin token of a Rolling Road server, for --strict", isSecret: true),
      .toggle(
        "strict", "exit with code 1 if a rule was broken or an acknowledged record is not in the store"),
    ] + SecurityFlags.all,
    details: """
      The phone has the SDK's engine, queue and uploader, and runs in real time. Each request is shown with its answer and
      with what is wrong with the answer: what the SDK would not understand, and what would make it lose records or send
      them forever. 'v' lists the rules that the server has kept and broken.

      keys:

      \(DriveKey.table)

      A script is a list of these letters or words, of times to wait (90s, 5m, by the phone's clock) and of 'drain', which
      waits up to a minute until the queue is empty. Without --keys and without a terminal the script is read from
      standard input, where # begins a comment. A summary of the records is printed at the end. With --factor
      the phone's clock runs ahead, and so do the timestamps of its records.

      --verify checks at the end that acknowledged records are stored. With --strict, a Rolling Road server (--preset
      rollingroad) is checked through its admin API; any other server needs --verify.
      """,
    examples: [
      "rollingroad drive --target http://127.0.0.1:8080/locations --preset rollingroad",
      "rollingroad drive --keys \"d 90s s drain\" --factor 20 --preset rollingroad --strict",
    ],
    run: { (invocation) throws(UsageError) in try DriveCommand(invocation).run() })
}

/// One run of `drive`.
struct DriveCommand {
  private let process: ProcessContext
  private let settings: DriveSettings
  private let script: [DriveStep]?
  private let factor: Double
  private let isStrict: Bool
  private let store: DriveStore
  private let transport: TransportConfiguration
  private let intro: String
  /// The description of an app with the SDK's defaults; nil for one with its own configuration.
  private let defaults: String?

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
    try SecurityFlags.check(values, process)
    transport = TransportConfiguration(values)
    store = try DriveStore(values, settings, isStrict: isStrict)
    intro =
      "\(settings.platform.rawValue) phone '\(values.text("device") ?? "")', uploads to \(URLParts(settings.url).withoutUser)"
    let words = "the app goes on when it is closed: stopOnTerminate false, startOnBoot true"
    defaults = settings.hasOwnApp ? nil : words + "; with --config FILE it has the SDK's defaults"
  }

  func run() throws(UsageError) -> ExitCode {
    guard script != nil || process.terminal != nil || process.input != nil else {
      throw UsageError("there is no terminal and no standard input; use --keys")
    }
    do {
      if let problem = try store.problem(process.variable) {
        process.writeError("rollingroad drive: --verify: \(problem)")
        return .runtimeFailure
      }
    } catch {
      process.writeError("rollingroad drive: \(error)")
      return .runtimeFailure
    }
    let console = script == nil ? process.terminal.flatMap { DriveConsole(terminal: $0) } : nil
    let screen = DriveScreen(
      console: console, origin: URLParts(URLParts(settings.url).withoutUser).origin, write: process.writeOutput)
    screen.show("\(intro)\(console == nil ? "" : "; ? lists the keys")")
    if let defaults { screen.show(defaults) }
    do {
      let session = try DriveSession(
        settings, over: transport, factor: factor, screen: screen, ownsSignals: process.ownsSignals,
        variable: process.variable)
      let end = try session.run(script: script, input: script == nil && console == nil ? process.input : nil)
      screen.finish()
      let (look, isStopped) = look(after: session, end)
      process.writeOutput(session.summary(storage: look.text))
      if case .badScript(let message) = end { throw UsageError(message) }
      if isStopped { return .stoppedBySignal }
      guard isStrict else { return .ok }
      if look == .notAsked { process.writeError(DriveStore.remedy) }
      return session.hasProven && look.isProven ? .ok : .runtimeFailure
    } catch let error as UsageError {
      throw error
    } catch {
      screen.finish()
      process.writeError("rollingroad drive: \(error)")
      return .runtimeFailure
    }
  }

  /// The stored records, and whether a signal has ended the drive or the reading.
  private func look(after session: DriveSession, _ end: DriveSession.End) -> (StorageCheck, isStopped: Bool) {
    if end == .signal { return (.notAsked, true) }
    let interruption = Interruption()
    session.listen(interruption)
    let look = store.look(for: session.acknowledged, unless: interruption)
    guard interruption.isRequested else { return (look, false) }
    if case .impossible = look { return (.notAsked, true) }
    return (look, true)
  }
}

extension DriveSettings {
  /// Applies the dialect of the preset, then the file, then the flags.
  init(_ values: FlagValues, _ process: ProcessContext) throws(UsageError) {
    let platform =
      try values.read("platform", expected: "ios or android") { text in
        [DevicePlatform.ios, .android].first { "\($0)" == text }
      } ?? .ios
    let behaviour =
      try values.read("behaviour", expected: "observed or documented", SDKBehaviour.init(rawValue:))
    let preset =
      try values.read("preset", expected: "one of \(TargetPreset.names)", TargetPreset.init(rawValue:))
    let expected = "a URL such as http://127.0.0.1:8080"
    let target = try values.read("target", expected: expected) { DriveSettings.isURL($0) ? $0 : nil }
    let name = try values.read("device", expected: "a name") { $0.isEmpty ? nil : $0 } ?? "drive"
    let level = try values.read("log-level", expected: "off, error, warning, info, debug or verbose") { text in
      Contract.LogLevel.allCases.first { "\($0)" == text }
    }
    let start = try values.read(
      "at", expected: "a latitude and a longitude, such as 48.137,11.575", DriveSettings.place)
    let seed = try values.read("seed", expected: "a whole number, or hexadecimal such as 0x1f") { text in
      text.hasPrefix("0x") ? UInt64(text.dropFirst(2), radix: 16) : UInt64(text)
    }
    var documents: [JSONValue] = [
      .object(["logger": .object(["logLevel": .integer(Int64((level ?? .warning).rawValue))])])
    ]
    if let file = try DriveSettings.file(values, process) {
      documents.append(file)
      // The more specific setting takes precedence.
      if let target {
        let url = (preset ?? .rollingroad).uploads(to: target)
        documents.append(.object(["http": .object(["url": .string(url)])]))
      }
    }
    if let token = values.text("token") {
      documents.append(.object(["authorization": .object(["accessToken": .string(token)])]))
    }
    guard let start = start ?? Coordinate(latitude: 48.137, longitude: 11.575) else {
      preconditionFailure("the centre of Munich is a place")
    }
    // Without a server, the default is the one that 'rollingroad serve' starts.
    let isOurs = target == nil && values.value("config") == nil
    self.init(
      platform: platform, behaviour: behaviour, start: start, seed: seed ?? UInt64.random(in: 0...UInt64.max),
      preset: preset ?? (isOurs ? .rollingroad : nil),
      target: target ?? "http://127.0.0.1:8080", deviceName: name, hasOwnApp: values.value("config") != nil,
      documents: documents)
    if let mistake = mistakes.first { throw UsageError("\(values.value("config")?.origin ?? "the flags"): \(mistake)") }
  }

  private static func file(_ values: FlagValues, _ process: ProcessContext) throws(UsageError) -> JSONValue? {
    guard let flag = values.value("config") else { return nil }
    guard let bytes = process.readFile(flag.text) else {
      throw UsageError("\(flag.origin): cannot read '\(flag.text)'")
    }
    do throws(JSONError) {
      return try JSONValue(parsing: bytes.span)
    } catch {
      let before = bytes.prefix(error.offset)
      let line = before.count { $0 == UInt8(ascii: "\n") } + 1
      let column = before.count - (before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0) + 1
      throw UsageError("\(flag.text):\(line):\(column): \(error)")
    }
  }

  private static func isURL(_ text: String) -> Bool {
    let parts = text.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
    return parts.count == 3 && ["http:", "https:"].contains(parts[0]) && parts[1].isEmpty && !parts[2].isEmpty
      && parts[2].first != "/" && !text.contains(" ")
  }

  private static func place(_ text: String) -> Coordinate? {
    let parts = text.split(separator: ",").map { Double($0.drop { $0 == " " }) }
    guard parts.count == 2, let latitude = parts[0], let longitude = parts[1] else { return nil }
    return Coordinate(latitude: latitude, longitude: longitude)
  }
}
