import Base
import Glibc
import Store
import Support
import Synchronization
import Testing

@Suite struct CrashTests {
  /// The child stores batches and notes each acknowledged one in a file, until it is killed by itself in the middle of the
  /// load. Whatever was noted is there afterwards, and each batch is there whole or not at all.
  @Test(arguments: StoreKind.allCases) func whatWasAcknowledgedSurvivesAKill(_ kind: StoreKind) async throws {
    let store = try TestStore(kind, isKept: true)
    store.close()
    let folder = try TemporaryFolder()
    let (place, notes) = (store.place, folder.file("noted"))
    await #expect(processExitsWith: .signal(SIGKILL)) { [place = place as StorePlace, notes = notes as String] in
      let noted = unsafe open(notes, O_WRONLY | O_CREAT | O_APPEND, 0o600)
      var registry = MetricsRegistry()
      let writer = try WriterThread(
        metrics: WriterMetrics(in: &registry),
        deliver: { completions in
          for completion in completions where completion.ticket.number < 400 {
            guard case .ingested = completion.result else { continue }
            let line = Array("\(completion.ticket.number)\n".utf8)
            guard unsafe write(noted, line, line.count) == line.count else { exit(1) }
          }
          if completions.contains(where: { $0.ticket.number >= 150 }) { _ = kill(getpid(), SIGKILL) }
        }
      ) { () throws(StoreError) in
        try place.open { configuration in
          configuration.limits.checkpointPages = 50
          configuration.limits.indexRunRows = 500
        }
      }
      for number in 0..<400 {
        let batch = Sample.batch(Sample.device(number % 7), Array(number * 50..<(number + 1) * 50))
        guard writer.submit(.ingest(batch), ticket: Ticket(number: UInt64(number))) else { exit(2) }
        if number % 8 == 0 { sched_yield() }
      }
      writer.stop()
    }
    let noted = CrashTests.numbers(in: notes)
    #expect(noted.count >= 100)
    try store.reopen()
    let keys = try store.reader().allKeys()
    let perBatch = Dictionary(grouping: keys) { $0.key.uuid.low / 50 }.mapValues(\.count)
    #expect(perBatch.values.allSatisfy { $0 == 50 }, "no torn batch")
    #expect(noted.allSatisfy { perBatch[$0] == 50 }, "nothing that was acknowledged is missing")
    #expect(try store.problems() == [])
    for number in noted {
      let batch = Sample.batch(
        Sample.device(Int(number) % 7), Array(Int(number) * 50..<(Int(number) + 1) * 50))
      #expect(store.ingest(batch) == [0, 50, 0])
    }
  }

  private static func numbers(in path: String) -> [UInt64] {
    guard let file = unsafe fopen(path, "r") else { return [] }
    defer { _ = unsafe fclose(file) }
    var numbers: [UInt64] = []
    var line = [CChar](repeating: 0, count: 32)
    while unsafe fgets(&line, 32, file) != nil {
      let digits = line.prefix { $0 >= 48 && $0 <= 57 }.map { UInt8(bitPattern: $0) }
      if let number = UInt64(String(decoding: digits, as: UTF8.self)) { numbers.append(number) }
    }
    return numbers
  }
}
