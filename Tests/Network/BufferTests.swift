import Support
import Testing

@testable import Network

/// What waits between a socket and its session.
@Suite struct BufferTests {
  @Test func inputIsShownInOrderAndOnceUntilItIsTaken() {
    for seed in 0..<200 as Range<UInt64> {
      var generator = SeededGenerator(seed: seed)
      var buffer = InputBuffer()
      var waiting: [UInt8] = []
      for _ in 0..<50 {
        let new = (0..<generator.index(below: 40)).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        buffer.append(new.span)
        waiting += new
        let taken = generator.index(below: waiting.count + 1)
        var shown: [UInt8] = []
        let answer = buffer.offer { input in
          shown = input.indices.map { input[$0] }
          return taken
        }
        guard answer == taken, shown == waiting else {
          Issue.record("seed \(seed): \(shown) is not \(waiting)")
          return
        }
        waiting.removeFirst(taken)
        #expect(buffer.count == waiting.count)
      }
    }
  }

  @Test func outputLeavesInOrderHoweverLittleTheKernelTakes() throws {
    for seed in 0..<200 as Range<UInt64> {
      var generator = SeededGenerator(seed: seed)
      var buffer = OutputBuffer()
      var all: [UInt8] = []
      var sent: [UInt8] = []
      for _ in 0..<50 {
        let new = (0..<generator.index(below: 40)).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        let offset = generator.index(below: new.count + 1)
        buffer.append(new, from: offset)
        all += new[offset...]
        guard !buffer.isEmpty else { continue }
        try buffer.flush { bytes in
          let count = generator.index(below: bytes.byteCount + 1)
          for index in 0..<count { sent.append(unsafe bytes.unsafeLoad(fromByteOffset: index, as: UInt8.self)) }
          return count
        }
        #expect(buffer.count == all.count - sent.count)
      }
      #expect(sent[...] == all[..<sent.count], "seed \(seed)")
    }
  }

  @Test func aTokenSurvivesTheWayThroughTheKernel() {
    let token = ConnectionToken(place: 0x1234_5678, generation: 0x9ABC_DEF0)
    #expect(ConnectionToken(word: token.word) == token)
  }
}
