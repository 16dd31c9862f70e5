import JSON
import Store
import Synchronization

/// Forgets a run, or everything.
struct ResetHandlers: Sendable {
  let shared: SharedBoards
  let checks: RefreshChecks
  let refusals: RefusalLog
  let traffic: TrafficBoard
  let hasJournal: Bool

  /// `POST /admin/v1/reset?run`: forgets the run that the parameter, the path or the header names, or everything when none
  /// does: devices with all that is theirs, fault rules that were set in it, its map, faults of refreshes, waits after
  /// failed refreshes, and the journal. `{"devices","faults","maps","breakages","throttled"}` say how many, `journal`
  /// whether there is one. After an error it can be repeated: what is forgotten already does not come back.
  func reset(_ exchange: Exchange) -> Reply {
    let run = exchange.optionalRun
    return .change(.reset(run: run)) { wasReset(run, devices: $0) }
  }

  private func wasReset(_ run: String?, devices: Int) -> Reply {
    refusals.clear(run: run)
    traffic.clear(run: run)
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
    return .askJournal { [shared] (journal) throws(StoreError) in
      try journal.reset(run: run)
      return try shared.cleared(run: run, answer)
    }
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
