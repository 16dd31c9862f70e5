import Support
import Testing

@testable import Engine

@Suite struct RollingWindowTests {
  @Test(arguments: 1...20 as ClosedRange<UInt64>) func theMeanIsThatOfTheLastValues(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var window = RollingWindow<7>()
    var all: [Double] = []
    #expect(window.mean() == nil)
    for _ in 0..<60 {
      if generator.chance(0.05) {
        window.removeAll()
        all = []
      }
      all.append(Double(generator.index(below: 1_000)))
      window.append(all[all.count - 1])
      let limit = 1 + generator.index(below: 10)
      let last = all.suffix(min(limit, 7))
      #expect(window.mean(ofLast: limit) == last.reduce(0, +) / Double(last.count), "seed \(seed)")
    }
  }
}
