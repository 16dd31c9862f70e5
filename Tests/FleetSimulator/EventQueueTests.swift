import Base
import Testing

@testable import FleetSimulator

/// Events come in the order of (time, device).
@Suite struct EventQueueTests {
  @Test(arguments: UInt64(1)...20)
  func turnsComeInOrderWhateverIsPutBack(seed: UInt64) {
    var stream = RandomStream(seed: seed, device: 0, concern: 0)
    var due = (0..<50).map { _ in stream.chance(0.1) ? nil : instant(stream.index(below: 20)) }
    var queue = EventQueue(due)
    for turn in 0..<2_000 {
      let expected = due.indices.filter { due[$0] != nil }.min { (due[$0] ?? end, $0) < (due[$1] ?? end, $1) }
      #expect(queue.first?.device == expected, "seed \(seed), turn \(turn)")
      guard let (now, device) = queue.first else { return }
      due[device] = stream.chance(0.02) ? nil : now + Nanoseconds(Int64(stream.index(below: 5)))
      queue.replaceFirst(with: due[device])
    }
  }

  private let end = MonotonicInstant(nanoseconds: .max)

  private func instant(_ number: Int) -> MonotonicInstant { MonotonicInstant(nanoseconds: Int64(number)) }
}
