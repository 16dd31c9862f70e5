import Base
import Contract
import Engine
import Host
import Queue
package import Scenario
import Upload
import Vocabulary
import World

/// Counts how often the situations came up without which a green result means little.
final class CoverageWatch: Watcher {
  private let ledger: Ledger
  private var counts: [CoverageGoal: Int] = [:]
  /// Of devices that have renewed their tokens: how often.
  private var refreshes: [Int: Int] = [:]
  /// Of devices whose last upload was too large: how many records it held.
  private var tooLarge: [Int: Int] = [:]
  /// Of each device: wall clock minus monotonic clock, in milliseconds.
  private let clocks: PerDevice<Int64?>

  init(_ ledger: Ledger) {
    self.ledger = ledger
    clocks = PerDevice(nil, in: ledger.space)
  }

  var seen: [CoverageSeen] {
    CoverageGoal.allCases.map { goal in
      CoverageSeen(
        goal: goal, count: goal == .duplicateAfterLostAck ? ledger.sums.duplicatesExplained : counts[goal, default: 0])
    }
  }

  func see(_ event: SimulationEvent, _ context: EventContext) {
    let device = context.device
    watchClock(context)
    switch event {
    case .sent(let request) where request.purpose == .records: watchSent(device, context)
    case .queue(.refused(_, .insertion)): count(.diskFullDuringInsert)
    case .ended(let request, let outcome): watchEnd(of: request, outcome.status, context)
    case .killed(let isReboot):
      if isReboot && ledger.radio.kind(of: context.network) == .none { count(.rebootWhileOffline) }
      let page = ledger.pages[device]
      if let answer = page.answer, answer.isSuccess, answer.instant == context.now.monotonic,
        answer.rows.contains(where: { page.waiting[row: $0] != nil })
      {
        count(.crashBetweenSuccessAndDelete)
      }
    case .told(.authorization(let event)) where event.isSuccess:
      refreshes[device, default: 0] += 1
      if refreshes[device] == 2 { count(.refreshTokenRotatedTwice) }
    case .told(.engine(.geofence(let record, _))):
      if record.geofence?.action == .exit && ledger.radio.kind(of: context.network) == .none {
        count(.geofenceExitWhileOffline)
      }
    case .configured(let configuration):
      let page = ledger.pages[device]
      if let url = page.terms?.url, url != configuration.http.url, page.waiting.count > 0 { count(.urlChangeWithQueue) }
    default: break
    }
  }

  private func count(_ goal: CoverageGoal) { counts[goal, default: 0] += 1 }

  private func watchClock(_ context: EventContext) {
    let clock = context.now.wall.millisecondsSince1970 - context.now.monotonic.nanoseconds / 1_000_000
    let before = clocks[context.device]
    guard clock != before else { return }
    if let before, clock < before - 1 { count(.clockSteppedBackwards) }
    clocks[context.device] = clock
  }

  private func watchSent(_ device: Int, _ context: EventContext) {
    guard let sent = ledger.pages[device].open.last else { return }
    if let most = ledger.pages[device].terms?.recordsPerRequestMax, most > 1, ledger.pages[device].waiting.count > most
    {
      count(.queueLongerThanMaxBatchSize)
    }
    if !tooLarge.isEmpty, let size = tooLarge.removeValue(forKey: device), sent.recordCount < size {
      count(.tooLargeThenSmallerBatches)
    }
    let isGivenUp = ledger.pages[device].open.contains { $0.id != sent.id && $0.isGivenUp(at: context.now.monotonic) }
    if isGivenUp { count(.watchdogUnlock) }
  }

  private func watchEnd(of request: UInt64, _ status: Int, _ context: EventContext) {
    let device = context.device
    guard let sent = ledger.pages[device].open.first(where: { $0.id == request }), sent.purpose == .records else {
      return
    }
    switch status {
    case 300..<400: count(.redirectAnsweredToPost)
    case 401:
      if sent.followsSuccess { count(.unauthorizedMidFlush) }
    case 413: tooLarge[device] = sent.recordCount
    default: break
    }
    guard let days = ledger.pages[device].terms?.daysMax, days <= DocumentedLimits.daysMax else { return }
    let isOld = sent.rows.contains { row in
      ledger.pages[device].waiting[row: row].map {
        context.now.wall.milliseconds(since: $0.timestamp) > Int64(days) * 86_400_000
      } ?? false
    }
    if isOld { count(.expiryOfLockedRecord) }
  }
}

/// What came up in several runs together.
package struct CoverageTally: Equatable, Sendable {
  /// What a goal has come to.
  package struct Row: Equatable, Sendable {
    package let goal: CoverageGoal
    /// How often, in all runs.
    package fileprivate(set) var count = 0
    /// In how many of them.
    package fileprivate(set) var seeds = 0
  }

  package private(set) var rows = CoverageGoal.allCases.map { Row(goal: $0) }
  /// How many runs there were.
  package private(set) var seeds = 0

  package init() {}

  /// What one run has shown.
  package mutating func add(_ seen: [CoverageSeen]) {
    seeds += 1
    for index in rows.indices {
      let count = seen.first { $0.goal == rows[index].goal }?.count ?? 0
      rows[index].count += count
      rows[index].seeds += count > 0 ? 1 : 0
    }
  }

  /// Those of the goals that never came up.
  package func missing(of goals: [CoverageGoal]) -> [CoverageGoal] {
    rows.filter { goals.contains($0.goal) && $0.count == 0 }.map(\.goal)
  }

  /// A line for each of the goals.
  package func lines(of goals: [CoverageGoal]) -> [String] {
    rows.filter { goals.contains($0.goal) }.map { row in
      let name = row.goal.rawValue
      return row.count == 0 ? "never \(name)" : "\(name) \(row.count) times, in \(row.seeds) of \(seeds) seeds"
    }
  }
}

/// How often something came up.
package struct CoverageSeen: Equatable, Sendable {
  package let goal: CoverageGoal
  package let count: Int
}
