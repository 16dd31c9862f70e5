import Base
import Queue
import Upload
import Vocabulary
import World

/// Records the history of a few records on both sides of the link, in a second run of the same seed, when it is known
/// which records matter.
final class RecordHistory: Watcher {
  private let ledger: Ledger
  /// The histories of the selected records, by device.
  private var lives: [Int: [Life]] = [:]

  /// The history of one record, or of a whole device when the record is unknown.
  private struct Life {
    let uuid: UUID128?
    let end: MonotonicInstant
    private var row: Int64?
    private var isOver = false
    /// The open requests that carry the record.
    private var requests: Set<UInt64> = []
    var lines: [String] = []

    init(uuid: UUID128?, end: MonotonicInstant) { (self.uuid, self.end) = (uuid, end) }

    mutating func concerns(_ event: SimulationEvent) -> Bool {
      guard let uuid else { return true }
      switch event {
      case .queue(.inserted(_, let row, uuid, _, _)):
        self.row = row
        return true
      case .queue(.deleted(_, let row, _)):
        guard row == self.row else { return false }
        isOver = true
        return true
      case .sent(let request):
        return request.payload?.uuids.contains(uuid) ?? false && requests.insert(request.id).inserted
      case .served(let request, _, _): return requests.contains(request)
      case .ended(let request, _): return requests.remove(request) != nil
      case .launched, .killed, .healed, .network: return row != nil && !isOver
      default: return false
      }
    }
  }

  private static let linesMax = 60

  init(_ ledger: Ledger, of violations: [Violation]) {
    self.ledger = ledger
    for violation in violations {
      guard let device = ledger.names.firstIndex(of: violation.device) else { continue }
      lives[device, default: []].append(Life(uuid: violation.uuid, end: violation.instant))
    }
  }

  func story(of violation: Violation) -> [String] {
    guard let device = ledger.names.firstIndex(of: violation.device) else { return [] }
    return lives[device]?.first { $0.uuid == violation.uuid && $0.end == violation.instant }?.lines ?? []
  }

  func see(_ event: SimulationEvent, _ context: EventContext) {
    guard var known = lives[context.device] else { return }
    for index in known.indices { see(event, context, &known[index]) }
    lives[context.device] = known
  }

  private func see(_ event: SimulationEvent, _ context: EventContext, _ life: inout Life) {
    guard life.uuid != nil || context.now.monotonic <= life.end else { return }
    guard let word = event.word, life.concerns(event) else { return }
    if life.lines.count == RecordHistory.linesMax {
      // The beginning of a record's history is kept; of a device only the latest part matters.
      life.lines.remove(at: life.uuid == nil ? 0 : 1)
    }
    let detail = event.detail(on: ledger.radio[context.network].name)
    life.lines.append("\(context.now.monotonic.clockText) \(word.rawValue)\(detail.isEmpty ? "" : " ")\(detail)")
  }
}
