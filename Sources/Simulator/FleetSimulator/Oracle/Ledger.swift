import Base
import Queue
import Store

/// The book of all records of a run: where each is, and whether that can be. A record that was found in the store is only
/// counted from then on, in a sum that the whole store must give again in the end.
final class Ledger {
  /// A record in some queue.
  private struct Waiting {
    let device: Int
    let uuid: UUID128
    let timestamp: WallInstant
    let createdAt: MonotonicInstant
  }

  /// A record that a device took for delivered.
  private struct Acknowledged {
    let record: Waiting
    let deletedAt: MonotonicInstant
    let answer: Answer
  }

  /// The answer that a device is reading.
  struct Answer {
    let request: UInt64
    let status: Int
  }

  private(set) var sums = LedgerSums()
  private(set) var victims: [Victim] = []
  /// Set while a device works on an answer.
  var reading: Answer?

  private let names: [String]
  /// By row. Never gone through.
  private var waiting: [Int64: Waiting] = [:]
  private var waitingCounts: [Int]
  private var unproven: [Acknowledged] = []
  private var proven: [(count: Int, sum: UInt64)]
  /// Left a queue without an acknowledgement: some of them may have reached the store all the same.
  private var dropped: [(device: Int, uuid: UUID128)] = []

  private static let proofSize = 8_192
  private static let victimsMax = 32

  init(names: [String]) {
    self.names = names
    waitingCounts = Array(repeating: 0, count: names.count)
    proven = Array(repeating: (0, 0), count: names.count)
  }

  /// What the queues did while one device worked.
  func note(_ notes: [QueueNote], at instant: MonotonicInstant) {
    for note in notes {
      switch note {
      case .inserted(let device, let row, let uuid, let timestamp):
        waiting[row] = Waiting(device: device, uuid: uuid, timestamp: timestamp, createdAt: instant)
        waitingCounts[device] += 1
        sums.created += 1
      case .deleted(let device, let row, let cause): take(row, of: device, cause, at: instant)
      case .refused: break
      }
    }
  }

  private func take(_ row: Int64, of device: Int, _ cause: QueueNote.Cause, at instant: MonotonicInstant) {
    guard let record = waiting.removeValue(forKey: row) else {
      let story = ["\(Ledger.time(instant)): a row left the queue that never entered it"]
      return blame(device, nil, .conservation, story)
    }
    waitingCounts[device] -= 1
    switch cause {
    case .upload:
      let answer = reading ?? Answer(request: 0, status: 0)
      if !(200..<300).contains(answer.status) {
        let story = story(of: record) + ["deleted \(Ledger.time(instant)) on status \(answer.status)"]
        blame(device, record.uuid, .noDeletionBeforeAnswer, story)
      }
      unproven.append(Acknowledged(record: record, deletedAt: instant, answer: answer))
    case .order:
      sums.destroyed += 1
      dropped.append((device, record.uuid))
    case .age:
      sums.expired += 1
      dropped.append((device, record.uuid))
    case .room:
      sums.evicted += 1
      dropped.append((device, record.uuid))
    }
  }

  /// The device's own queue against the book.
  func compare(_ device: Int, queued: Int, at instant: MonotonicInstant) {
    if waitingCounts[device] != queued {
      let story = ["\(Ledger.time(instant)): \(queued) rows in its queue, \(waitingCounts[device]) in the book"]
      blame(device, nil, .conservation, story)
    }
  }

  var needsProof: Bool { unproven.count >= Ledger.proofSize }

  /// Asks for everything that was acknowledged since the last time; without anybody to ask it stays unverified.
  func prove(by proof: (any StoreProof)?) {
    guard let proof else {
      sums.unverified += unproven.count
      return unproven.removeAll(keepingCapacity: true)
    }
    unproven.sort { ($0.record.device, $0.record.uuid) < ($1.record.device, $1.record.uuid) }
    var start = 0
    while start < unproven.count {
      var end = start
      while end < unproven.count && unproven[end].record.device == unproven[start].record.device { end += 1 }
      prove(unproven[start..<end], by: proof)
      start = end
    }
    unproven.removeAll(keepingCapacity: true)
  }

  private func prove(_ records: ArraySlice<Acknowledged>, by proof: any StoreProof) {
    guard let device = records.first?.record.device else { return }
    let keys = records.map { record in
      PointKey(recordedAt: record.record.timestamp.millisecondsSince1970, uuid: record.record.uuid)
    }
    guard let lost = proof.missing(keys, of: names[device]) else { return sums.unverified += records.count }
    var next = lost.startIndex
    for record in records {
      guard next < lost.endIndex, lost[next].uuid == record.record.uuid else {
        proven[device].count += 1
        proven[device].sum &+= Ledger.mark(record.record.uuid)
        sums.stored += 1
        continue
      }
      next += 1
      sums.lost += 1
      let story =
        story(of: record.record) + [
          "acknowledged \(Ledger.time(record.deletedAt)) by status \(record.answer.status) to request "
            + "\(record.answer.request), and deleted",
          "server: not in the store",
        ]
      blame(device, record.record.uuid, .acknowledgedIsStored, story)
    }
  }

  /// The end of the settle phase: what still waits, and the whole store against the sums.
  func close(by proof: (any StoreProof)?, at instant: MonotonicInstant) {
    prove(by: proof)
    sums.pending = waiting.count
    for (_, record) in waiting.sorted(by: { $0.key < $1.key }).prefix(Ledger.victimsMax) {
      blame(record.device, record.uuid, .drained, story(of: record) + ["still in its queue \(Ledger.time(instant))"])
    }
    if let proof, proof.refusal == nil {
      compareStore(StoreSums(of: proof, names: names, dropped: dropped), isShared: proof.isShared)
    }
  }

  private func compareStore(_ store: StoreSums, isShared: Bool) {
    for device in names.indices {
      let (rows, expected) = (store.devices[device], proven[device])
      sums.duplicateRows += rows.repeated
      let isStrange = !isShared && (rows.count != expected.count || rows.sum != expected.sum)
      if isStrange || rows.repeated > 0 {
        let story = [
          "\(rows.count) records in the store besides what the device dropped, \(expected.count) proven, \(rows.repeated) repeated"
        ]
        blame(device, nil, .storedOnce, story)
      }
    }
    if !isShared && store.strangers > 0 {
      blame(nil, nil, .storedOnce, ["\(store.strangers) rows of devices that do not exist"])
    }
  }

  private func story(of record: Waiting) -> [String] { ["created \(Ledger.time(record.createdAt))"] }

  private func blame(_ device: Int?, _ uuid: UUID128?, _ rule: Victim.Rule, _ story: [String]) {
    guard victims.count < Ledger.victimsMax else { return }
    victims.append(Victim(device: device.map { names[$0] } ?? "(any)", uuid: uuid, rule: rule, story: story))
  }

  static func mark(_ uuid: UUID128) -> UInt64 { TraceHash.mix(uuid.high ^ TraceHash.mix(uuid.low)) }

  /// `00:12:43.210`.
  static func time(_ instant: MonotonicInstant) -> String {
    let milliseconds = instant.nanoseconds / 1_000_000
    func digits(_ number: Int64, _ count: Int) -> String {
      let text = String(number)
      return String(repeating: "0", count: max(count - text.count, 0)) + text
    }
    let (hours, minutes, seconds) = (milliseconds / 3_600_000, milliseconds / 60_000 % 60, milliseconds / 1_000 % 60)
    return "at \(digits(hours, 2)):\(digits(minutes, 2)):\(digits(seconds, 2)).\(digits(milliseconds % 1_000, 3))"
  }
}
