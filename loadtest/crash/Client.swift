import HTTP1
import JSON
import Support
import Synchronization

/// One device: uploads a batch, waits for the answer, goes on with the next after a 2xx and with the same otherwise.
final class Client: Sendable {
  let number: Int
  let seed: UInt64
  let course: Course
  let ledger = Mutex(Ledger())

  /// Batches of 1 to this many records.
  private static let recordsMax = 20

  init(number: Int, seed: UInt64, course: Course) {
    self.number = number
    self.seed = seed
    self.course = course
  }

  func run() {
    var generator = SeededGenerator(seed: seed &+ UInt64(number) &* 1_000_003)
    while true {
      let batch = next(&generator)
      guard let batch else { return }
      guard let port = course.port else {
        Pause.milliseconds(1)
        continue
      }
      do throws(LoopbackClient.Failure) {
        let connection = try LoopbackClient(port: port)
        try repeatOne(over: connection, &generator)
        var current = batch
        while try upload(current, over: connection) {
          guard let following = next(&generator) else { return }
          current = following
        }
      } catch {
        ledger.withLock { $0.brokenOff += 1 }
        Pause.milliseconds(1)
      }
    }
  }

  /// The batch that has no 2xx yet, or a new one; nil at the end.
  private func next(_ generator: inout SeededGenerator) -> Batch? {
    let pending = ledger.withLock { $0.acknowledged.last == false ? $0.batches.last : nil }
    if let pending { return pending }
    if course.isStopping { return nil }
    let count = 1 + generator.index(below: Client.recordsMax)
    return ledger.withLock { ledger in
      let batch = Batch(client: number, number: ledger.batches.count, count: count)
      ledger.batches.append(batch)
      ledger.acknowledged.append(false)
      ledger.tries.append(0)
      return batch
    }
  }

  /// After a restart a batch that has its 2xx is sent once more: every record of it must be known.
  private func repeatOne(
    over connection: LoopbackClient, _ generator: inout SeededGenerator
  ) throws(LoopbackClient.Failure) {
    let known = ledger.withLock { $0.acknowledgedBatches }
    guard known > 0 else { return }
    // The latest is the one in danger; now and then an older one.
    let index = generator.chance(0.7) ? known - 1 : generator.index(below: known)
    let batch = ledger.withLock { $0.batches[index] }
    let (status, accepted, duplicate) = try exchange(batch, over: connection)
    if status == 200 && (accepted != 0 || duplicate != batch.count) {
      ledger.withLock {
        $0.lies.append("\(batch.device)/\(index) was acknowledged; later \(accepted) of its records were new")
      }
    }
  }

  private func upload(_ batch: Batch, over connection: LoopbackClient) throws(LoopbackClient.Failure) -> Bool {
    let isRepeated = ledger.withLock { ledger in
      defer { ledger.tries[batch.number] += 1 }
      return ledger.tries[batch.number] > 0
    }
    let (status, accepted, duplicate) = try exchange(batch, over: connection)
    guard status == 200 else {
      Pause.milliseconds(5)
      return true
    }
    ledger.withLock { ledger in
      ledger.acknowledged[batch.number] = true
      if accepted != batch.count && duplicate != batch.count || accepted + duplicate != batch.count {
        ledger.lies.append("\(batch.device)/\(batch.number): \(accepted) new and \(duplicate) known of \(batch.count)")
      }
      if course.losesOnlyAnswers && (accepted == 0) != isRepeated {
        let occasion = isRepeated ? "a later" : "the first"
        ledger.lies.append("\(batch.device)/\(batch.number): \(accepted) new at \(occasion) try")
      }
    }
    return true
  }

  private func exchange(
    _ batch: Batch, over connection: LoopbackClient
  ) throws(LoopbackClient.Failure) -> (status: Int, accepted: Int, duplicate: Int) {
    ledger.withLock { $0.sentRecords += batch.count }
    try connection.send(batch.request)
    let (status, body) = try connection.receiveAnswer(to: .post)
    ledger.withLock { $0.statuses[status, default: 0] += 1 }
    guard status == 200 else { return (status, 0, 0) }
    do {
      let json = try JSONValue(parsing: body.span)
      if case .integer(let accepted)? = json["accepted"], case .integer(let duplicate)? = json["duplicate"] {
        return (status, Int(accepted), Int(duplicate))
      }
    } catch { throw LoopbackClient.Failure(call: "reading the answer: \(error)", code: 0) }
    throw LoopbackClient.Failure(call: "reading the answer: no counts", code: 0)
  }
}
