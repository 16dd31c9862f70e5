import Base
import Contract
import Engine
import Host
import Queue
package import Scenario
import Upload
import Vocabulary
import World

/// Counts the situations without which a passed run means little.
final class CoverageWatch: Watcher {
  private let ledger: Ledger
  private var counts: [CoverageGoal: Int] = [:]
  /// The number of token refreshes, by device.
  private var refreshes: [Int: Int] = [:]
  /// The size of the last upload that was too large, by device.
  private var tooLarge: [Int: Int] = [:]
  /// Wall clock minus monotonic clock of each device, in milliseconds.
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
    guard let sent = ledger.pages[device].request(request), sent.purpose == .records else {
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

/// The coverage of several runs.
package struct CoverageTally: Equatable, Sendable {
  /// The coverage of one goal.
  package struct Row: Equatable, Sendable {
    package let goal: CoverageGoal
    /// The number of occurrences in all runs.
    package fileprivate(set) var count = 0
    /// The number of runs with an occurrence.
    package fileprivate(set) var seeds = 0
  }

  package private(set) var rows = CoverageGoal.allCases.map { Row(goal: $0) }
  /// The number of runs.
  package private(set) var seeds = 0

  package init() {}

  /// Adds the coverage of one run.
  package mutating func add(_ seen: [CoverageSeen]) {
    seeds += 1
    for index in rows.indices {
      let count = seen.first { $0.goal == rows[index].goal }?.count ?? 0
      rows[index].count += count
      rows[index].seeds += count > 0 ? 1 : 0
    }
  }

  /// Returns the goals without an occurrence.
  package func missing(of goals: [CoverageGoal]) -> [CoverageGoal] {
    rows.filter { goals.contains($0.goal) && $0.count == 0 }.map(\.goal)
  }

  /// Returns a line for each goal.
  package func lines(of goals: [CoverageGoal]) -> [String] {
    rows.filter { goals.contains($0.goal) }.map { row in
      let name = row.goal.rawValue
      return row.count == 0 ? "never \(name)" : "\(name) \(row.count) times, in \(row.seeds) of \(seeds) seeds"
    }
  }
}

/// The number of occurrences of a goal.
package struct CoverageSeen: Equatable, Sendable {
  package let goal: CoverageGoal
  package let count: Int

  package init(goal: CoverageGoal, count: Int) { (self.goal, self.count) = (goal, count) }
}
