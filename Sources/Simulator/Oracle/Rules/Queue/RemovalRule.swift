import Base
import Contract
import Engine
import Host
import Queue
import Scenario
import Upload
import Vocabulary

/// I12: a queue gives up a record only for its age, for room, or because its app has destroyed it: none that is younger
/// than `maxDaysToPersist`, none while there is room, and the oldest first; nothing is stored where nothing may be
/// (HttpConfig 39 to 43, PersistenceConfig `maxDaysToPersist`, `maxRecordsToPersist`; SDK §7.3.4, §7.4). A change of the
/// configuration and what it does to the queue are of one instant: such a record is judged behind it, by both.
final class RemovalRule: Rule {
  override class var invariant: Invariant { .bounds }
  override class var interest: Interest { [.inserted, .deleted, .sent, .ended, .life] }
  override class var absence: String { "no record was given up" }

  private struct Terms {
    var days: Int
    var records: Int
    /// Whether there is a server that gets the records.
    var hasURL: Bool

    init(_ configuration: Configuration) {
      days = configuration.persistence.maxDaysToPersist
      records = configuration.persistence.maxRecordsToPersist
      hasURL = !configuration.http.url.isEmpty
    }

    /// Reports whether these terms permit what has happened to a record.
    func permit(_ change: Change) -> Bool {
      switch change.kind {
      case .inserted: records != 0
      case .aged(let milliseconds): days > 0 && milliseconds >= Int64(days) * 86_400_000 - RemovalRule.tick
      case .evicted(let left, _): records == 0 || records > 0 && left >= records
      case .destroyed: !hasURL
      }
    }
  }

  private struct Change {
    enum Kind {
      case inserted
      case aged(milliseconds: Int64)
      /// The number of records that were left, and the rows of older ones, none of which was in a request.
      case evicted(left: Int, older: [Int64])
      case destroyed
    }

    let uuid: UUID128
    let kind: Kind
  }

  /// The changes of one device at one instant.
  private struct Doubt {
    let context: EventContext
    var terms: [Terms]
    var changes: [Change]
    /// The rows of requests that were sent at that instant, and had been taken for them.
    var sent: Set<Int64> = []
    var isRefreshing: Bool
  }

  private var terms: [Int: Terms] = [:]
  /// The devices that may store nothing.
  private var closed: Set<Int> = []
  private var doubts: [Int: Doubt] = [:]
  /// When a refresh of a device ended, behind which the rows that have waited for it are sent.
  private var refreshed: [Int: MonotonicInstant] = [:]

  private static let tick: Int64 = 1_000
  /// Of the rows that are older than an evicted one, as many are looked at.
  private static let olderMost = 64

  override func see(_ event: SimulationEvent, _ context: EventContext) {
    let device = context.device
    if !doubts.isEmpty, let doubt = doubts[device], doubt.context.now.monotonic < context.now.monotonic {
      settle(doubt)
    }
    switch event {
    case .configured(let configuration):
      let new = Terms(configuration)
      terms[device] = new
      if new.records == 0 { closed.insert(device) } else { closed.remove(device) }
      doubts[device]?.terms.append(new)
    case .queue(.inserted(_, _, let uuid, _, _)):
      guard !closed.isEmpty, closed.contains(device), !ledger.truth.lives[device].isPoisoned(at: context.now.monotonic)
      else { return }
      note(Change(uuid: uuid, kind: .inserted), context)
    case .queue(.deleted(_, let row, let cause)):
      if let record = ledger.departed, let kind = kind(cause, record, row, context) {
        note(Change(uuid: record.uuid, kind: kind), context)
      }
    case .sent(let request) where doubts[device] != nil:
      if request.purpose == .refresh { doubts[device]?.isRefreshing = true }
      doubts[device]?.sent.formUnion(ledger.pages[device].open.last?.rows ?? [])
    case .ended(let request, _) where ledger.pages[device].request(request)?.purpose == .refresh:
      refreshed[device] = context.now.monotonic
    // An upload that began in the last instant of the process has taken rows that were never sent.
    case .killed: doubts[device] = nil
    default: break
    }
  }

  override func close(at instant: MonotonicInstant) {
    for (_, doubt) in doubts.sorted(by: { $0.key < $1.key }) { settle(doubt) }
  }

  private func kind(
    _ cause: QueueNote.Cause, _ record: WaitingRecord, _ row: Int64, _ context: EventContext
  ) -> Change.Kind? {
    switch cause {
    case .upload: return nil
    case .age: return .aged(milliseconds: context.now.wall.milliseconds(since: record.timestamp))
    case .destruction: return .destroyed
    case .room:
      let page = ledger.pages[context.device]
      let taken = Set(page.open.flatMap(\.rows))
      let older = page.waiting.all.prefix(RemovalRule.olderMost).lazy.map(\.row).filter {
        $0 < row && !taken.contains($0)
      }
      return .evicted(left: page.waiting.count, older: Array(older))
    }
  }

  private func note(_ change: Change, _ context: EventContext) {
    let device = context.device
    guard let known = terms[device] else { return }
    exercised += 1
    let isRefreshing =
      refreshed[device] == context.now.monotonic || ledger.pages[device].open.contains { $0.purpose == .refresh }
    doubts[
      device, default: Doubt(context: context, terms: [known], changes: [], isRefreshing: isRefreshing)
    ].changes.append(change)
  }

  /// Judges the changes of an instant that is over. A record that a refresh waits for is in no request.
  private func settle(_ doubt: Doubt) {
    let device = doubt.context.device
    doubts[device] = nil
    // A configuration that the store could not keep is lost with the process.
    let life = ledger.truth.lives[device]
    guard life.isUndisturbed else { return }
    for change in doubt.changes {
      if !doubt.terms.contains(where: { $0.permit(change) }) {
        flag(doubt.context, change.uuid, RemovalRule.words(for: change, doubt.terms[0]))
      } else if case .evicted(_, let older) = change.kind, !doubt.isRefreshing,
        doubt.terms.allSatisfy({ $0.records != 0 }), older.contains(where: { !doubt.sent.contains($0) })
      {
        flag(doubt.context, change.uuid, "given up for room although an older record waits")
      }
    }
  }

  private static func words(for change: Change, _ terms: Terms) -> String {
    switch change.kind {
    case .inserted: "stored although maxRecordsToPersist is 0"
    case .aged(let milliseconds): "given up after \(milliseconds / 1_000) s, and maxDaysToPersist is \(terms.days)"
    case .evicted(let left, _):
      "given up for room with \(left) records left, and maxRecordsToPersist is \(terms.records)"
    case .destroyed: "destroyed, which its app has not asked for"
    }
  }
}
