import Base
import Support
import Testing

@testable import Oracle

/// The largest error since any instant, held against a list of all errors.
@Suite struct PositionErrorsTests {
  @Test(arguments: 0..<40 as Range<UInt64>) func theLargestSinceAnyInstantIsKnown(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var errors = PositionErrors()
    var all: [(since: Int64, metres: Double)] = []
    for second in 1...60 as ClosedRange<Int64> {
      if Bool.random(using: &generator) {
        let metres = Double.random(in: 0...7, using: &generator).rounded() * 100
        errors.note(metres, at: instant(second))
        all.append((second, metres))
      }
      for since in 0...second {
        // Each lasts until the next one, and at that instant both count.
        let expected = all.indices.filter { $0 + 1 == all.count || all[$0 + 1].since >= since }.map { all[$0].metres }
        #expect(
          errors.most(since: instant(since)) == expected.max() ?? 0, "seed \(seed), since \(since) at \(second): \(all)"
        )
      }
    }
  }

  private func instant(_ second: Int64) -> MonotonicInstant { MonotonicInstant(nanoseconds: second * 1_000_000_000) }
}
