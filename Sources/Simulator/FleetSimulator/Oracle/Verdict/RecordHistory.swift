import Base
import Engine
import Host
import Queue
package import Store
import Upload
import Vocabulary
import World

/// Writes down what becomes of a few records, on both sides of the link: for a second run of the same seed, when it is known
/// which records matter.
final class RecordHistory: Watcher {
  private let ledger: Ledger
  /// By device: the records that matter, and what there is to say.
  private var lives: [Int: [Life]] = [:]

  private struct Life {
    let uuid: UUID128?
    let end: MonotonicInstant
    var row: Int64?
    var isOver = false
    var lines: [String] = []
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
    guard let line = sentence(event, context, &life) else { return }
    if life.lines.count == RecordHistory.linesMax {
      // The beginning of a record is a part of its story; of a device only the last part matters.
      life.lines.remove(at: life.uuid == nil ? 0 : 1)
    }
    life.lines.append("\(context.now.monotonic.clockText) \(line)")
  }

  private func sentence(_ event: SimulationEvent, _ context: EventContext, _ life: inout Life) -> String? {
    switch event {
    case .queue(.inserted(_, let row, let uuid, _, _)):
      if life.uuid == nil { return "record \(uuid.text) created" }
      guard life.uuid == uuid else { return nil }
      life.row = row
      return "created, on \(ledger.radio[context.network].name)"
    case .queue(.deleted(_, let row, let cause)):
      guard life.uuid == nil || life.row == row else { return nil }
      life.isOver = true
      return "\(life.uuid == nil ? "row \(row) " : "")deleted: \(RecordHistory.text(of: cause))"
    case .sent(let request):
      guard concerns(request.id, context.device, life) else { return nil }
      let count = ledger.pages[context.device].open.last?.recordCount ?? 0
      return "request \(request.id) sent with \(count.of("record")), on \(ledger.radio[context.network].name)"
    case .served(let request, let bytes):
      guard concerns(request, context.device, life) else { return nil }
      return "request \(request) at the server, which answers with \(bytes) bytes"
    case .ended(let request, let outcome):
      guard concerns(request, context.device, life) else { return nil }
      return "request \(request) \(RecordHistory.text(of: outcome))"
    case .launched, .killed, .healed, .network:
      guard life.uuid == nil || life.row != nil && !life.isOver else { return nil }
      return text(ofLife: event)
    default: return nil
    }
  }

  private func concerns(_ request: UInt64, _ device: Int, _ life: Life) -> Bool {
    guard life.uuid != nil else { return true }
    guard let row = life.row else { return false }
    return ledger.pages[device].open.contains { $0.id == request && $0.rows.contains(row) }
  }

  private static func text(of cause: QueueNote.Cause) -> String {
    switch cause {
    case .upload: "considered delivered"
    case .order: "destroyed by a command"
    case .age: "too old"
    case .room: "no room"
    }
  }

  private static func text(of outcome: RequestOutcome) -> String {
    switch outcome {
    case .answered(let status, reason: _, let body):
      "answered with \(status): \(String(decoding: body.prefix(160), as: UTF8.self))"
    case .failed(let failure, message: _): "failed: \(failure.rawValue)"
    }
  }

  private func text(ofLife event: SimulationEvent) -> String? {
    switch event {
    case .launched(let launch): launch.didReboot ? "the phone is on again" : "the app starts"
    case .killed(let isReboot): isReboot ? "the phone goes off" : "the app is killed"
    case .network(let network): "network: \(ledger.radio[network].name)"
    case .healed: "the end of all faults"
    default: nil
    }
  }
}

/// The whole story of those to whom something happened that must not: from a second run, in which only they are watched.
package enum Investigation {
  /// `setup` is the report's own, and `store` makes a store like the one that it ran with.
  package static func explain(
    _ report: RunReport, of setup: RunSetup, store: () throws -> any Store
  ) throws -> RunReport {
    guard !report.violations.isEmpty || !report.remarks.isEmpty else { return report }
    let run = try FleetRun(setup, store: store(), following: report.violations + report.remarks)
    _ = try run.run()
    var explained = report
    explained.violations = report.violations.map { run.withHistory($0) }
    explained.remarks = report.remarks.map { run.withHistory($0) }
    return explained
  }
}
