import Support
import Testing

@testable import Base

@Suite struct HistogramSerializationTests {
  private func serialized(_ histogram: Histogram) -> [UInt8] {
    var bytes: [UInt8] = []
    histogram.serialize(into: &bytes)
    return bytes
  }

  @Test(arguments: 1...30 as ClosedRange<UInt64>) func comesBackAsItWas(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let histogram = HistogramInputs.histogram(of: HistogramInputs.values(using: &generator))
    #expect(try Histogram(serialized: serialized(histogram).span) == histogram, "seed \(seed)")
  }

  @Test func comesBackEmptyAndWithTheLargestNumbers() throws {
    var extreme = Histogram(highestTrackableValue: .max)
    let empty = extreme
    extreme.record(.max, times: UInt64(Int64.max) - 1)
    extreme.record(0)
    #expect(try Histogram(serialized: serialized(empty).span) == empty)
    #expect(try Histogram(serialized: serialized(extreme).span) == extreme)
    var beyond = Histogram(highestTrackableValue: 1)
    beyond.record(.max, times: 5)
    #expect(try Histogram(serialized: serialized(beyond).span) == beyond)
  }

  @Test func isSmallWhenFewSlotsAreFilled() {
    #expect(serialized(HistogramInputs.histogram(of: [])).count < 16)
    #expect(serialized(HistogramInputs.histogram(of: [1, 1_000, 1_000_000])).count < 32)
  }

  @Test func refusesEveryTruncationAndEveryTrailingByte() throws {
    var generator = SeededGenerator(seed: 1)
    let bytes = serialized(HistogramInputs.histogram(of: HistogramInputs.values(using: &generator)))
    for length in bytes.indices {
      let input = GuardedBytes(Array(bytes[..<length]))
      let error = try #require(throws: HistogramError.self) {
        try input.withSpan { (span) throws(HistogramError) in _ = try Histogram(serialized: span) }
      }
      guard case .truncated(let offset) = error else {
        Issue.record("\(error) for length \(length)")
        continue
      }
      #expect(offset <= length)
    }
    #expect(throws: HistogramError.trailingBytes(offset: bytes.count)) { try Histogram(serialized: (bytes + [0]).span) }
  }

  /// Whatever is accepted is the one form of that histogram, and can be used without a trap.
  @Test(arguments: 1...4 as ClosedRange<UInt64>) func acceptsOnlyWhatItWouldWriteItself(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let corpus = [[], [0], [1, 1_000, 70_000], [5, 5, 5, 1 << 40], [1 << 50]].map {
      serialized(HistogramInputs.histogram(of: $0 as [UInt64]))
    }
    let mutator = Mutator(corpus: corpus, tokens: [[0x80], [0], Array(repeating: 0xFF, count: 9) + [1]])
    var accepted = 0
    for _ in 0..<400 {
      let bytes = mutator.next(using: &generator)
      do {
        var histogram = try Histogram(serialized: bytes.span)
        accepted += 1
        #expect(serialized(histogram) == bytes, "seed \(seed): \(bytes)")
        _ = histogram.value(atQuantile: 0.99)
        histogram.record(3)
      } catch {}
    }
    #expect(accepted > 20)
  }

  @Test func namesTheContradiction() throws {
    let histogram = HistogramInputs.histogram(of: [10, 20, 30])
    var copies: [Histogram] = []
    for change: (inout Histogram) -> Void in [
      { $0.sum += 1 }, { $0.sum -= 1 }, { $0.smallest = 9 }, { $0.smallest = 11 }, { $0.largest = 31 },
      { $0.largest = 1 << 40 }, { $0.overflowCount = 1 },
    ] {
      var copy = histogram
      change(&copy)
      copies.append(copy)
    }
    for copy in copies {
      #expect(throws: HistogramError.contradiction, "\(copy.sum)") { try Histogram(serialized: serialized(copy).span) }
    }
  }

  @Test func namesTheFormatAndTheFieldThatItRefuses() {
    #expect(throws: HistogramError.truncated(offset: 0)) { try Histogram(serialized: [UInt8]().span) }
    #expect(throws: HistogramError.unknownFormat(2)) { try Histogram(serialized: [2].span) }
    #expect(throws: HistogramError.invalidField(offset: 1)) { try Histogram(serialized: [1, 0].span) }
    let range: [UInt8] = [1, 100, 0]
    #expect(throws: HistogramError.invalidField(offset: 8), "gap beyond the range") {
      try Histogram(serialized: (range + [5, 5, 0, 5, 1, 101, 1]).span)
    }
    #expect(throws: HistogramError.invalidField(offset: 9), "a filled slot with nothing in it") {
      try Histogram(serialized: (range + [5, 5, 0, 5, 1, 5, 0]).span)
    }
    #expect(throws: HistogramError.invalidField(offset: 2), "five as two bytes") {
      try Histogram(serialized: [1, 100, 0x85, 0].span)
    }
    #expect(throws: HistogramError.invalidField(offset: 1), "a number of 65 bits") {
      try Histogram(serialized: ([1] + Array(repeating: 0xFF, count: 9) + [2]).span)
    }
  }
}
