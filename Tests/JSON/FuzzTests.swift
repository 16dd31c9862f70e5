import Support
import Testing

/// The bounded run; the long one is `scripts/fuzz`.
@Suite struct FuzzTests {
  @Test(arguments: [1, 2, 3] as [UInt64]) func damagedTextsAreJudgedLikeTheGrammar(seed: UInt64) {
    let finding = JSONFuzz().run(seed: seed, iterations: 0..<1500)
    #expect(finding == nil, "\(finding?.description ?? "")")
  }

  @Test func theSameSeedGivesTheSameInputs() {
    let inputs = (0..<100).map { JSONFuzz().input(seed: 5, iteration: $0) }
    #expect(inputs == (0..<100).map { JSONFuzz().input(seed: 5, iteration: $0) })
    #expect(inputs != (0..<100).map { JSONFuzz().input(seed: 6, iteration: $0) })
  }
}
