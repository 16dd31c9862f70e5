import Base

/// A histogram in the form of OTLP's exponential histograms: bucket `index` holds the values above `base^index` up to
/// `base^(index + 1)`, with the base `2^(2^-scale)` (OpenTelemetry, Metrics Data Model, "ExponentialHistogram"). Uses the
/// finest scale at which the values need no more than 160 buckets.
struct ExponentialBuckets: Equatable {
  private(set) var scale: Int32 = ExponentialBuckets.finestScale
  private(set) var zeroCount: UInt64 = 0
  /// The index of the first bucket.
  private(set) var offset: Int32 = 0
  private(set) var counts: [UInt64] = []

  /// The limit of OpenTelemetry's SDKs.
  static let bucketsMax = 160
  /// Buckets of half a percent; slots of a histogram are up to a tenth of a percent wide.
  static let finestScale: Int32 = 7

  /// `units` of the histogram are one unit of the reported values. A slot counts in the bucket of its greatest value.
  init(_ histogram: Histogram, units: Double) {
    var found: [(index: Int, count: UInt64)] = []
    func note(_ value: UInt64, _ count: UInt64) {
      if value == 0 {
        zeroCount += count
      } else {
        found.append((ExponentialBuckets.index(of: Double(value) / units), count))
      }
    }
    let largest = histogram.maximum ?? 0
    for slot in histogram.filledSlots { note(min(slot.values.upperBound, largest), slot.count) }
    if histogram.overflowCount > 0 { note(largest, histogram.overflowCount) }
    guard let first = found.first, let last = found.last else {
      scale = 0
      return
    }
    var shift = 0
    while last.index >> shift - first.index >> shift >= ExponentialBuckets.bucketsMax { shift += 1 }
    scale -= Int32(shift)
    offset = Int32(first.index >> shift)
    counts = Array(repeating: 0, count: last.index >> shift - first.index >> shift + 1)
    for entry in found { counts[entry.index >> shift - Int(offset)] += entry.count }
  }

  /// Returns the bucket of a positive number at the finest scale; each coarser scale halves it, rounded down.
  static func index(of value: Double) -> Int {
    let significand = value.significand
    let whole = Int(value.exponent) << Int(finestScale)
    // The upper bound belongs to its bucket.
    if significand == 1 { return whole - 1 }
    var (low, high) = (0, bounds.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if bounds[middle] < significand { low = middle } else { high = middle }
    }
    return whole + low
  }

  /// `2^(n / 2^scale)` for each n of a doubling at the finest scale, computed from square roots, which are
  /// identical on every machine.
  private static let bounds: [Double] = {
    let roots = (0..<Int(finestScale)).reduce(into: [Double]()) { roots, _ in
      roots.append((roots.last ?? 2).squareRoot())
    }
    return (0..<1 << Int(finestScale)).map { number in
      roots.enumerated().reduce(1.0) { product, root in
        number >> (Int(finestScale) - 1 - root.offset) & 1 == 1 ? product * root.element : product
      }
    }
  }()
}
