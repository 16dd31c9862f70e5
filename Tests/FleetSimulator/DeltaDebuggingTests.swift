import Testing

@testable import FleetSimulator

@Suite struct DeltaDebuggingTests {
  @Test(arguments: [[], [0], [99], [3, 4], [0, 50, 99], [7, 8, 9, 60, 61]])
  func reductionKeepsTheNeededElements(needed: [Int]) {
    let left = DeltaDebugging.reduce(Array(0..<100)) { Set(needed).isSubset(of: $0) }
    #expect(left == needed)
  }

  @Test func noOneElementOfTheRestCanGo() {
    // Any seven of them fail.
    var tests = 0
    let left = DeltaDebugging.reduce(Array(0..<64)) { kept in
      tests += 1
      return kept.count >= 7
    }
    #expect(left.count == 7 && tests < 200)
  }

  @Test func nothingIsMadeOfNothing() {
    #expect(DeltaDebugging.reduce([Int]()) { _ in true } == [])
  }
}
