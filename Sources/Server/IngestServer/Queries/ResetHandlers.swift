import JSON
import Network
import Store
import Synchronization

/// Deletes the data of a run, or of all runs.
struct ResetHandlers: Sendable {
  let shared: SharedBoards
  let checks: RefreshChecks
  let refusals: RefusalLog
  let traffic: TrafficBoard
  let hasJournal: Bool
  let proxy: ProxyRole?

  /// `POST /admin/v1/reset?run`: forgets the run that the parameter, the path or the header names, or everything when none
  /// does: devices with all that is theirs, fault rules that were set in it, its map, faults of refreshes, waits after
  /// failed refreshes, the journal, and without a run the clauses of a proxy. `{"devices","faults","maps","breakages","throttled"}` say how many, `journal`
  /// whether there is one. After an error it can be repeated: what is forgotten already does not come back.
  func reset(_ exchange: Exchange) -> Reply {
    let run = exchange.optionalRun
    return .change(.reset(run: run)) { wasReset(run, devices: $0) }
  }

  private func wasReset(_ run: String?, devices: Int) -> Reply {
    refusals.clear(run: run)
    traffic.clear(run: run)
    // The counts are those of all runs.
    if run == nil { proxy?.judge?.reset() }
    let (breakages, throttled) = (
      checks.breakages.withLock { $0.clear(run: run) }, checks.throttle.withLock { $0.clear(run: run) }
    )
    let answer = { @Sendable [hasJournal] (faults: Int, maps: Int) -> Response in
      let counts: KeyValuePairs<StaticString, Int> = [
        "devices": devices, "faults": faults, "maps": maps, "breakages": breakages, "throttled": throttled,
      ]
      return .wasReset(counts, hasJournal: hasJournal)
    }
    guard hasJournal else { return shared.clear(run: run, answer) }
    return .respond { [shared] session, exchange, output in
      JournalReset.begin(run: run, exchange, in: session, &output) { shared.clear(run: run, answer) }
    }
  }
}

/// Resets the journal on its own thread. The rest of the reset may wait for a database and runs elsewhere, so that the journal
/// records requests and answers questions meanwhile.
private final class JournalReset: Responder {
  private let exchange: Exchange
  private let next: @Sendable () -> Reply

  private init(_ exchange: Exchange, _ next: @escaping @Sendable () -> Reply) {
    (self.exchange, self.next) = (exchange, next)
  }

  static func begin(
    run: String?, _ exchange: Exchange, in session: IngestSession, _ output: inout SessionOutput,
    then next: @escaping @Sendable () -> Reply
  ) {
    let isAsked =
      session.context.journal?.ask(
        { journal in
          do throws(StoreError) {
            try journal.reset(run: run)
            return .journalReset(nil)
          } catch { return .journalReset(error) }
        }, session.address) ?? false
    guard isAsked else { return session.answer(exchange, .tooManyQuestions, bodyComplete: true, &output) }
    session.respond(with: JournalReset(exchange, next))
  }

  func delivered(_ message: SessionMessage, _ session: IngestSession, _ output: inout SessionOutput) {
    guard case .journalReset(let error) = message else { return }
    if let error { return session.answer(exchange, .unreadable(error), bodyComplete: true, &output) }
    session.perform(next(), exchange, &output)
  }
}

extension Response {
  fileprivate static func wasReset(_ counts: KeyValuePairs<StaticString, Int>, hasJournal: Bool) -> Response {
    .object { writer in
      for (name, count) in counts { writer.member(name, count) }
      writer.member("journal", hasJournal)
    }
  }
}
