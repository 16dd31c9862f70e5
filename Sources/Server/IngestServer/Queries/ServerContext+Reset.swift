import JSON
import Store
import Synchronization

extension ServerContext {
  /// `POST /admin/v1/reset?run`: forgets the run that the parameter, the path or the header names, or everything when none
  /// does: devices with all that is theirs, fault rules that were set in it, its map, what was asked to go wrong with refreshes, who
  /// waits after failed refreshes, and the journal. `{"devices","faults","maps","breakages","throttled"}` say how many, `journal`
  /// whether there is one. Whoever got an error asks again: what is forgotten already does not come back.
  func reset(_ exchange: Exchange) throws(ResponseError) -> Reply {
    let run = exchange.optionalRun
    return .store(.reset(run: run), afterwards: .reset(run: run))
  }

  func wasReset(_ run: String?, _ result: StoreResult) -> Reply {
    let devices: Int
    switch result {
    case .changed(let count): devices = count
    case .unavailable(let outage): return .answer(.unavailable(outage))
    default: preconditionFailure("the store answers a reset with a count or an outage")
    }
    refusals.clear(run: run)
    let counts: KeyValuePairs<StaticString, Int> = [
      "devices": devices, "faults": faults.clear(run: run), "maps": maps.clear(run: run),
      "breakages": refreshBreakages.withLock { $0.clear(run: run) },
      "throttled": refreshThrottle.withLock { $0.clear(run: run) },
    ]
    guard journal != nil else { return .answer(.wasReset(counts, hasJournal: false)) }
    return .askJournal { (journal) throws(StoreError) in
      try journal.reset(run: run)
      return .wasReset(counts, hasJournal: true)
    }
  }
}

extension Response {
  fileprivate static func wasReset(_ counts: KeyValuePairs<StaticString, Int>, hasJournal: Bool) -> Response {
    .json { writer in
      writer.beginObject()
      for (name, count) in counts { writer.member(name, count) }
      writer.key("journal")
      writer.value(hasJournal)
      writer.endObject()
    }
  }
}
