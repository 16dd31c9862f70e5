import Base
import Support

/// Values as latencies come: some distribution or other, over all magnitudes, now and then above the range.
enum HistogramInputs {
  static let highest: UInt64 = 3_600_000_000

  static func values(using generator: inout SeededGenerator) -> [UInt64] {
    let count = 1 + generator.index(below: 700)
    let bits = 1 + generator.index(below: 34)
    let shape = generator.index(below: 3)
    return (0..<count).map { _ in
      switch shape {
      case 0: UInt64.random(in: 0..<(1 << UInt64(bits)), using: &generator)
      case 1: UInt64.random(in: 0..<(1 << UInt64(generator.index(below: bits + 1))), using: &generator)
      default: UInt64(generator.index(below: 3)) << UInt64(bits)
      }
    }
  }

  static func histogram(of values: some Sequence<UInt64>) -> Histogram {
    var histogram = Histogram(highestTrackableValue: highest)
    for value in values { histogram.record(value) }
    return histogram
  }
}
