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

  /// An answer that carried a command is lost with the process that was about to send it. Whose device has come since had its
  /// answer, and a server that was stopped in order has told what it knew.
  @Test(arguments: [true, false]) func aCommandWhoseAnswerMayBeLostIsDueAgain(isKilled: Bool) async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("data")
    let signal: ExitTest.Condition = isKilled ? .signal(SIGKILL) : .exitCode(0)
    await #expect(processExitsWith: signal) { [path = path as String, isKilled = isKilled as Bool] in
      let store = try SQLiteStore(StoreConfiguration(folder: path))
      let expiry = Sample.noon.advanced(byMilliseconds: 60 * Sample.minute)
      for number in 1...3 {
        let order = QueuedCommand(
          target: .device(Sample.device(number)), command: Array(#"["stop"]"#.utf8), expiresAt: expiry)
        _ = store.apply([.queue(order)], now: Sample.noon)
        _ = store.apply([.ingest(Sample.batch(Sample.device(number), [number]))], now: Sample.noon)
      }
      // The second has come again, and the third has shown that it read the answer.
      let later = Sample.noon.advanced(byMilliseconds: 1_000)
      _ = store.apply([.ingest(Sample.batch(Sample.device(2), [12], received: later))], now: later)
      _ = store.apply([.markDelivered(Sample.device(3), ids: [3])], now: later)
      if isKilled { kill(getpid(), SIGKILL) }
      store.close()
      exit(0)
    }
    let store = try SQLiteStore(StoreConfiguration(folder: path))
    defer { store.close() }
    let taken = (1...3).map { number -> [Int64] in
      let job = StoreJob.takeCommands(Sample.device(number), limit: 9)
      guard case .commands(let commands)? = store.apply([job], now: Sample.noon).first else { return [-1] }
      return commands.map(\.id)
    }
    #expect(taken == (isKilled ? [[1], [], []] : [[], [], []]))
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
