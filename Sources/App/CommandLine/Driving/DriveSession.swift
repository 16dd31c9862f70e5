import AnswerCheck
import Base
import Contract
import CurlTransport
import Drive
import FleetSimulator
import Glibc
import JSON
import Network
import Scenario
import Threads
import Upload
import Vocabulary

/// Connects a phone with the clock, the network and the keys. It sleeps until one of them has an event.
final class DriveSession {
  enum End: Equatable {
    case quit, signal
    case badScript(String)
  }

  private let screen: DriveScreen
  private let system = SystemClock()
  private let transport: CurlTransport
  private let inbox: ThreadInbox<TransportCompletion>
  private let signals: SignalWatcher?
  private var clock: DriveClock
  private var drive: Drive
  private var keys = DriveInput()
  private var input: Int32?
  private var waitsUntil: MonotonicInstant?
  private var drainsUntil: MonotonicInstant?
  private var hasHinted = false
  private let origin: String
  private let variable: (String) -> String?
  private var completions: [TransportCompletion] = []
  private(set) var acknowledged = AcknowledgedRecords()

  /// `variable` reads the environment.
  init(
    _ settings: DriveSettings, over transport: TransportConfiguration, factor: Double, screen: DriveScreen,
    ownsSignals: Bool,
    variable: @escaping (String) -> String?
  ) throws {
    self.screen = screen
    self.variable = variable
    origin = URLParts(settings.url).origin
    // Before the first thread starts, which must block them too.
    signals = ownsSignals ? try SignalWatcher([SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP]) : nil
    var configuration = transport
    configuration.keepsHeads = true
    configuration.readsEnvironment = true
    let inbox = try ThreadInbox<TransportCompletion>()
    self.inbox = inbox
    self.transport = try CurlTransport(configuration) { inbox.post($0) }
    clock = DriveClock(factor: factor, wall: system.wallNow, real: system.monotonicNow)
    drive = try Drive(settings, at: clock.now(at: system.monotonicNow))
  }

  deinit { transport.stop() }

  /// The summary at the end; `storage` describes the verification of the server's store.
  func summary(storage: String) -> String { "\(drive.account)\n\(drive.checker.scorecard.text(storage: storage))" }
  /// Whether something was judged, and no clause was broken.
  var hasProven: Bool {
    let card = drive.checker.scorecard
    return card.answers > 0 && card.keptCount == card.seenCount
  }

  /// To be called when the phone has ended: a signal is then a wish to end what follows.
  func listen(_ interruption: Interruption) {
    if let signals { EndingSignals.listen(to: signals) { interruption.request() } }
  }

  /// Without a script, keys come from the screen's terminal, or words from `input`.
  func run(script: [DriveStep]?, input: Int32?) throws -> End {
    keys = DriveInput(script: script)
    self.input = script != nil ? nil : screen.console?.descriptor ?? input
    while true {
      let now = try catchUp()
      completions.removeAll(keepingCapacity: true)
      inbox.collect(into: &completions)
      for completion in completions {
        try drive.answer(
          completion.id, completion.outcome, head: AnswerHead(parsing: completion.head),
          duration: completion.timings.total, at: now)
        if let answer = drive.lastAnswer, answer.request.id == completion.id {
          acknowledged.note(answer.request, answer.outcome)
        }
        hint(at: completion)
      }
      flush(at: now)
      if let end = try press(at: now) { return end }
      screen.show(status: drive.status(at: now.monotonic))
      if let end = wait() { return end }
    }
  }

  /// Handles everything that is due by now at its own time, in order.
  private func catchUp() throws -> Moment {
    let real = system.monotonicNow
    let now = clock.now(at: real)
    while let next = drive.nextInstant, next <= now.monotonic {
      let moment = now.advanced(by: next - now.monotonic)
      try drive.advance(to: moment)
      flush(at: moment)
    }
    return now
  }

  private func flush(at now: Moment) {
    for line in drive.takeLines() { screen.show(line, at: now.wall) }
    for effect in drive.takeEffects() {
      switch effect {
      case .send(let request): transport.submit(request, device: 0)
      case .cancel(let id): transport.cancel(id, device: 0)
      }
    }
    clock.waitsForNetwork(drive.hasRequestsInFlight, at: system.monotonicNow)
  }

  private func hint(at completion: TransportCompletion) {
    guard !hasHinted, case .failed(let failure, let message) = completion.outcome else { return }
    let silence = TargetSilence(origin: origin, failure: failure, message: message)
    let refusal =
      failure == .refused
      ? "no server is listening there: 'rollingroad serve' starts a server, --target names another one" : nil
    guard let hint = silence.hint(variable) ?? refusal else { return }
    hasHinted = true
    screen.show("            " + hint)
  }

  private func press(at now: Moment) throws -> End? {
    if let drainsUntil, drive.queuedCount == 0 && !drive.hasRequestsInFlight || now.monotonic >= drainsUntil {
      self.drainsUntil = nil
      screen.show(
        "\(DriveScreen.clock(now.wall))  · \(drive.queuedCount == 0 ? "the queue is empty" : "the queue did not drain")"
      )
    }
    if let waitsUntil, waitsUntil <= now.monotonic {
      self.waitsUntil = nil
      if screen.console == nil { screen.show("\(DriveScreen.clock(now.wall))  = \(drive.status(at: now.monotonic))") }
    }
    while waitsUntil == nil, drainsUntil == nil {
      let step: DriveStep?
      do throws(DriveScriptError) { step = try keys.next() } catch { return .badScript("\(error)") }
      switch step {
      case nil: return keys.hasEnded ? .quit : nil
      case .wait(let span)?: waitsUntil = now.monotonic + span
      case .drain(let span)?: drainsUntil = now.monotonic + span
      case .press(.quit)?: return .quit
      case .press(let key)?: try press(key, at: now)
      }
    }
    return nil
  }

  private func press(_ key: DriveKey, at now: Moment) throws {
    switch key {
    case .help: screen.show(DriveKey.table)
    case .clauses: screen.show(drive.checker.scorecard.list)
    case .expand:
      for line in drive.lastAnswer.map(DriveExchange.lines) ?? ["no request has ended yet"] { screen.show(line) }
    default:
      try drive.press(key, at: now)
      flush(at: now)
    }
  }

  /// Waits for a deadline, an answer, a key or a signal.
  private func wait() -> End? {
    let real = system.monotonicNow
    var due = [drive.nextInstant, waitsUntil, drainsUntil].compactMap(\.self).min()
      .map { clock.span(until: $0, at: real) }
    // The status line shows timers.
    if screen.console != nil { due = min(due ?? .seconds(1), .seconds(1)) }
    // Rounded up: an early turn would find nothing to do.
    let milliseconds = due.map { Int32(clamping: ($0.count + 999_999) / 1_000_000) } ?? -1
    var watched = [inbox.wakeUp, signals?.number ?? -1, keys.isOpen ? input ?? -1 : -1].map {
      pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
    }
    _ = unsafe poll(&watched, nfds_t(watched.count), milliseconds)
    if watched[1].revents != 0 {
      if signals?.next() != SIGTSTP { return .signal }
      screen.console?.suspend()
    }
    if watched[2].revents != 0, let input { keys.read(input, isTerminal: screen.console != nil) }
    return nil
  }
}
