import Base
import Store
import Support

/// A run is recorded with everything it wrote and synced; then the disk is put together as a power loss at many moments of
/// the run may have left it, and opened. Names of files count as durable from their creation.
struct PowerLossCampaign {
  let program: String
  let work: TemporaryFolder
  let seed: UInt64
  let states: Int

  private static let batchesRecorded = 1_200

  func run() throws -> Outcome {
    let (ledgers, text) = try record()
    let recording = Recording(parsing: text)
    var generator = SeededGenerator(seed: seed)
    let cuts = choose(recording, &generator)
    var disk = Disk()
    var known = ledgers.map { Ledger(batches: $0.batches, acknowledged: $0.batches.map { _ in false }) }
    var worst: (verdict: Verdict, ledgers: [Ledger])?
    var remarks: [String] = []
    var next = 0
    for (index, event) in recording.events.enumerated() {
      while next < cuts.count, cuts[next] == index {
        let loss = Disk.Loss.allCases[next % Disk.Loss.allCases.count]
        let verdict = try judge(
          disk.afterPowerLoss(loss, &generator), known, "state \(next) at event \(index), \(loss)", &remarks)
        if let verdict, worst?.verdict.isGood ?? true { worst = (verdict, known) }
        next += 1
      }
      disk.apply(event)
      if case .acknowledge(let client, let number) = event { known[client].acknowledged[number] = true }
    }
    guard let worst else { throw CampaignError("no state was judged") }
    let sums = ledgers.reduce(0) { $0 + $1.acknowledgedBatches }
    let seen = known.reduce(0) { $0 + $1.acknowledgedBatches }
    if seen < sums { remarks.append("the recording shows \(seen) acknowledgements of \(sums)") }
    return Outcome(
      name: "power loss", detail: "\(next) states; \(recording.summary)", ledgers: worst.ledgers,
      verdict: worst.verdict,
      remarks: remarks)
  }

  private func record() throws -> ([Ledger], [UInt8]) {
    let folder = work.file("power")
    let trace = "power.trace"
    let fleet = try Fleet(clients: 8, seed: seed)
    let server = try ServerProcess(program: program, folder: folder, wrapper: Recording.wrapper + [work.file(trace)])
    fleet.course.port = server.port
    var patience = 1_200
    while fleet.acknowledgedBatches < Self.batchesRecorded, patience > 0 {
      Pause.milliseconds(100)
      patience -= 1
    }
    let ledgers = fleet.finish()
    server.stop()
    return (ledgers, try work.read(trace))
  }

  /// Half of them anywhere, half where it hurts most: right behind an acknowledgement.
  private func choose(_ recording: Recording, _ generator: inout SeededGenerator) -> [Int] {
    let behind = recording.events.indices.filter { index in
      if case .acknowledge = recording.events[index] { return index + 1 < recording.events.count }
      return false
    }
    return (0..<states).map { number in
      number % 2 == 0 || behind.isEmpty
        ? generator.index(below: recording.events.count) : behind[generator.index(below: behind.count)] + 1
    }.sorted()
  }

  private func judge(
    _ files: [(name: String, bytes: [UInt8])], _ ledgers: [Ledger], _ place: String, _ remarks: inout [String]
  ) throws -> Verdict? {
    let folder = try TemporaryFolder(in: Machine.isWritable("/dev/shm") ? "/dev/shm" : "/tmp")
    for (name, bytes) in files { try folder.write(bytes, to: name) }
    do throws(StoreError) {
      let store = try SQLiteStore(StoreConfiguration(folder: folder.path))
      defer { store.close() }
      guard let reader = store.reader else { return nil }
      let verdict = try Verdict(ledgers, in: reader)
      if !verdict.isGood { remarks.append("\(place): missing \(verdict.missing), torn \(verdict.torn)") }
      if let problem = try reader.problems().first { remarks.append("\(place): \(problem)") }
      return verdict
    } catch {
      remarks.append("\(place): \(error.message)")
      return nil
    }
  }
}
