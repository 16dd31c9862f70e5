import BackendStore
import Base
import Contract
import Scenario
import Shell
import Threads
import Upload

/// A restart that runs beside the clause that requested it.
final class RestartInProgress: Sendable {
  /// Signalled once the command has ended, and again by each waiter.
  private let end = Semaphore()
  private let flag = AtomicFlag()
  private let code = AtomicFlag()
  private let isLate = AtomicFlag()
  private let signal: String
  /// The time limit of the command, for messages.
  private let limit: String
  let witness: RestartWitness

  /// A backend may stop some time after the signal.
  private static let timeToStop = Nanoseconds.seconds(3)

  fileprivate init(_ command: String, signal: String, within time: Nanoseconds?, seenBy witness: RestartWitness) {
    (self.signal, self.witness) = (signal, witness)
    let (end, flag, code, isLate) = (end, flag, code, isLate)
    let timeLeft = time.map { Int($0.wholeMilliseconds) } ?? .max
    let milliseconds = min(timeLeft, ShellCommand.millisecondsMax)
    limit =
      timeLeft <= milliseconds
      ? "when the time of the run was over (--time-limit)" : "after \(ShellCommand.millisecondsMax / 1_000) s"
    NamedThread.started("restart") {
      // The backend that it starts outlives it, unless the command times out.
      let result = ShellCommand.run(command, ["SIGNAL": signal], within: max(1, milliseconds)) { _ in true }
      if result != .code(0) { code.raise() }
      if result == .timeout { isLate.raise() }
      flag.raise()
      end.signal()
    }.detach()
  }

  var hasEnded: Bool { flag.isRaised }

  /// Waits for the end of the command, so that it cannot affect later clauses, however this one ends.
  func join() {
    waitForCommand()
    witness.stop()
  }

  private func waitForCommand() {
    end.wait()
    end.signal()
  }

  /// Waits for the command, and then until the backend answers again.
  func wait(_ run: ClauseRun) throws {
    run.log.note(restart: signal)
    try waitUntilSeen(run)
    join()
    if isLate.isRaised {
      throw ClauseStop.notJudged(
        "the restart command had not ended \(limit) and was killed with everything that it had started, including a backend in its process group; start a backend that runs on with '&': \(run.target.dialect.restart ?? "")"
      )
    }
    if code.isRaised { throw ClauseStop.notJudged("the restart command failed: \(run.target.dialect.restart ?? "")") }
    guard witness.hasSeen else {
      throw ClauseStop.notJudged(
        "the backend was not seen to go away: it answered while the restart command ran and \(RestartInProgress.timeToStop.wholeMilliseconds / 1_000) s longer; does the command reach the process that listens? \(run.target.dialect.restart ?? "")"
      )
    }
    try run.waitUntilThere()
  }

  private func waitUntilSeen(_ run: ClauseRun) throws {
    waitForCommand()
    guard !code.isRaised else { return }
    let deadline = run.now + RestartInProgress.timeToStop
    while !witness.hasSeen, run.now < deadline {
      try run.keepTime()
      run.pause(20)
    }
  }
}

extension ClauseRun {
  /// Begins a restart. If the clause sends other requests over other connections meanwhile, each look of the
  /// witness uses a new one.
  func beginRestart(_ signal: String, beside connections: RestartWitness.Connections = .fresh) -> RestartInProgress {
    let witness = RestartWitness(of: target, over: connections, facts: facts)
    return RestartInProgress(target.dialect.restart ?? "false", signal: signal, within: timeLeft, seenBy: witness)
  }

  /// Restarts the backend and returns the seconds for which it was away.
  func restart(_ signal: String) throws -> Double {
    let restart = beginRestart(signal, beside: .kept)
    defer { restart.join() }
    try restart.wait(self)
    return restart.witness.awaySince.map { (now - $0).seconds } ?? 0
  }

  /// Delivers the queue. If tokens do not survive a restart, which another clause tests, the app signs in again.
  func deliver(afterRestart phone: ConformancePhone, as what: String) throws {
    if facts.needsTokens, phone.upload().last.map({ [401, 403].contains($0.status) }) ?? false {
      let tokens = try signIn(phone.name)
      phone.configure { draft in draft.take(tokens) }
    }
    if phone.queuedCount > 0 { try deliver(phone, as: what) }
  }

  /// Returns the breach that ends the run for all clauses that need a backend.
  private func unreturned(_ answer: String) -> Breach {
    let words = "did not come back after the restart: for \(settings.restartTimeout.wholeMilliseconds / 1_000) s"
    var breach = breach("the backend \(words) it was not there (\(answer.shortened(120)))", harm: .repeat)
    breach.lasting = "the backend \(words) it was not there"
    breach.remedy = "see whether the restart command starts it: \(target.dialect.restart ?? "")"
    (breach.sent, breach.reproduction) = ("", nil)
    return breach
  }

  /// Waits for any answer of the backend.
  func waitUntilThere() throws {
    let deadline = now + settings.restartTimeout
    var last = ""
    while now < deadline {
      let outcome = target.client.ask(target.url, by: "OPTIONS").outcome
      if outcome.status != 0, !ConformanceTarget.isAway(outcome.status) { return }
      last = outcome.text
      try keepTime()
      pause(50)
    }
    throw ClauseStop.broken(unreturned(last))
  }
}
