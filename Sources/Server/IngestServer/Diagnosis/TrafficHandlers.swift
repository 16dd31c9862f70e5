import Base
import JSON
import Store

/// Lists runs, errors and failing devices.
struct TrafficHandlers: Sendable {
  let board: TrafficBoard
  let faults: FaultBoard

  private static let runsMax = 10_000

  /// A run in the store, on the board and in the fault rules.
  fileprivate struct Run {
    var stored: StoredRun?
    var counts = TrafficBoard.RunCounts()
    var rules = 0

    var lastSeen: Int64 { max(stored?.lastSeen ?? 0, counts.lastAt?.millisecondsSince1970 ?? 0) }
  }

  /// `GET /admin/v1/runs?run`: every run that has stored records, sent requests, or has fault rules, the latest first. Requests
  /// outside of runs are listed under the empty name.
  func listRuns(_ exchange: Exchange) -> Reply {
    let only = exchange.optionalRun
    var known: [ExactText: Run] = [:]
    for (name, counts) in board.runs() { known[name, default: Run()].counts = counts }
    for entry in faults.entries(of: nil) { known[ExactText(entry.rule.owner), default: Run()].rules += 1 }
    return .ask { [known] (reader: any StoreReader) throws(StoreError) -> Response in
      var runs = known
      for stored in try reader.runs(named: only, limit: Self.runsMax) {
        runs[ExactText(stored.run), default: Run()].stored = stored
      }
      let listed = runs.filter { only == nil || $0.key.text.isExactly(only) }
        .sorted { ($1.value.lastSeen, $0.key.text) < ($0.value.lastSeen, $1.key.text) }
      return .object { writer in
        writer.objects("runs", listed) { writer, run in writer.members(of: run.value, named: run.key.text) }
      }
    }
  }

  /// `GET /admin/v1/errors?run`: answers other than 2xx, and faults, by run, status, fault and code, the most frequent first.
  func listErrors(_ exchange: Exchange) -> Reply {
    let errors = board.errors(run: exchange.optionalRun)
    return .answer(
      .object { writer in
        writer.objects("errors", errors) { writer, error in
          writer.member("run", error.name.run.text)
          writer.member("status", error.name.status)
          writer.member("fault", error.name.fault)
          writer.member("code", error.name.code)
          writer.member("message", error.message)
          writer.member("count", error.count)
          writer.member("firstAt", error.firstAt)
          writer.member("lastAt", error.lastAt)
          writer.member("device", error.device)
        }
      })
  }

  /// `GET /admin/v1/failures?run`: the devices whose last request was not answered with 2xx, or had a fault, including those of
  /// which nothing is stored.
  func listFailures(_ exchange: Exchange) -> Reply {
    let failures = board.failures(run: exchange.optionalRun)
    return .answer(
      .object { writer in
        writer.objects("failures", failures) { writer, entry in
          writer.member("device", entry.device.name)
          writer.member("run", entry.device.run)
          writer.members(of: entry.failure)
        }
      })
  }
}

extension JSONWriter {
  /// `status`, `fault`, `since`, `at`, `count`.
  mutating func members(of failure: TrafficBoard.Failure) {
    member("status", failure.status)
    member("fault", failure.fault?.rawValue)
    member("since", failure.since)
    member("at", failure.at)
    member("count", failure.count)
  }

  fileprivate mutating func members(of run: TrafficHandlers.Run, named name: String) {
    member("run", name)
    member("devices", run.stored?.devices ?? 0)
    member("records", run.stored?.points ?? 0)
    member("duplicates", run.stored?.duplicates ?? 0)
    member("quarantined", run.stored?.quarantined ?? 0)
    member("requests", run.counts.requests)
    member("failed", run.counts.failed)
    member("faulted", run.counts.faulted)
    member("rules", run.rules)
    member("firstSeen", instant: run.stored?.firstSeen)
    member("lastSeen", instant: run.lastSeen == 0 ? nil : run.lastSeen)
  }
}
