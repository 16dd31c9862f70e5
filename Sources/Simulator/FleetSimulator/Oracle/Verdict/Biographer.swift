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
final class Biographer: Watcher {
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

  init(_ ledger: Ledger, of victims: [Victim]) {
    self.ledger = ledger
    for victim in victims {
      guard let device = ledger.names.firstIndex(of: victim.device) else { continue }
      lives[device, default: []].append(Life(uuid: victim.uuid, end: victim.instant))
    }
  }

  func story(of victim: Victim) -> [String] {
    guard let device = ledger.names.firstIndex(of: victim.device) else { return [] }
    return lives[device]?.first { $0.uuid == victim.uuid && $0.end == victim.instant }?.lines ?? []
  }

  func see(_ happening: Happening, _ sighting: Sighting) {
    guard var known = lives[sighting.device] else { return }
    for index in known.indices { see(happening, sighting, &known[index]) }
    lives[sighting.device] = known
  }

  private func see(_ happening: Happening, _ sighting: Sighting, _ life: inout Life) {
    guard life.uuid != nil || sighting.now.monotonic <= life.end else { return }
    guard let line = sentence(happening, sighting, &life) else { return }
    if life.lines.count == Biographer.linesMax {
      // The beginning of a record is a part of its story; of a device only the last part matters.
      life.lines.remove(at: life.uuid == nil ? 0 : 1)
    }
    life.lines.append("\(sighting.now.monotonic.clockText) \(line)")
  }

  private func sentence(_ happening: Happening, _ sighting: Sighting, _ life: inout Life) -> String? {
    switch happening {
    case .queue(.inserted(_, let row, let uuid, _, _)):
      if life.uuid == nil { return "record \(uuid.text) created" }
      guard life.uuid == uuid else { return nil }
      life.row = row
      return "created, on \(ledger.radio[sighting.network].name)"
    case .queue(.deleted(_, let row, let cause)):
      guard life.uuid == nil || life.row == row else { return nil }
      life.isOver = true
      return "\(life.uuid == nil ? "row \(row) " : "")deleted: \(Biographer.text(of: cause))"
    case .sent(let request):
      guard concerns(request.id, sighting.device, life) else { return nil }
      let count = ledger.pages[sighting.device].open.last?.recordCount ?? 0
      return "request \(request.id) sent with \(count.of("record")), on \(ledger.radio[sighting.network].name)"
    case .served(let request, let bytes):
      guard concerns(request, sighting.device, life) else { return nil }
      return "request \(request) at the server, which answers with \(bytes) bytes"
    case .ended(let request, let outcome):
      guard concerns(request, sighting.device, life) else { return nil }
      return "request \(request) \(Biographer.text(of: outcome))"
    case .launched, .killed, .healed, .network:
      guard life.uuid == nil || life.row != nil && !life.isOver else { return nil }
      return text(ofLife: happening)
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

  private func text(ofLife happening: Happening) -> String? {
    switch happening {
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
    guard !report.victims.isEmpty || !report.remarks.isEmpty else { return report }
    let run = try FleetRun(setup, store: store(), following: report.victims + report.remarks)
    _ = try run.run()
    var explained = report
    explained.victims = report.victims.map { run.retold($0) }
    explained.remarks = report.remarks.map { run.retold($0) }
    return explained
  }
}
