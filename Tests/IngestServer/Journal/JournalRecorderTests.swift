import Base
import Store
import Testing

@testable import IngestServer

/// Which requests are written down.
@Suite struct JournalRecorderTests {
  private func recorder(share: Double, seed: UInt64, limits: JournalLimits = JournalLimits()) throws -> (
    JournalRecorder, Counter
  ) {
    var registry = MetricsRegistry()
    let dropped = registry.counter("dropped_total", help: "Dropped.")
    let writer = try JournalWriter(folder: ":memory:", limits: limits, dropped: dropped)
    return (JournalRecorder(writer, share: share, seed: seed, post: { _, _ in }), dropped)
  }

  @Test func theSampleFollowsFromTheSeed() throws {
    var samples: [[Bool]] = []
    for seed: UInt64 in [1, 1, 2] {
      let (recorder, _) = try recorder(share: 0.25, seed: seed)
      samples.append((0..<400).map { _ in recorder.takesNext() })
      recorder.stop()
    }
    #expect(samples[0] == samples[1])
    #expect(samples[0] != samples[2])
    // Six standard deviations around 100.
    #expect((48...152).contains(samples[0].count { $0 }))
  }

  @Test func droppedEntriesAreCounted() throws {
    var limits = JournalLimits()
    limits.mailboxEntries = 0
    let (recorder, dropped) = try recorder(share: 1, seed: 0, limits: limits)
    recorder.record(JournalEntry(receivedAt: 0, method: "GET", path: "/", status: 200))
    recorder.stop()
    #expect(dropped.value == 1)
  }
}
