import JSON
import Support
import Testing

/// The oracle is the standard library's own validation. A sequence is read between quotes, so a beginning is cut off by
/// the quote, which is no continuation.
@Suite struct UTF8Tests {
  private func agrees(_ sequence: [UInt8]) -> Bool {
    let isValid = String(validating: sequence, as: UTF8.self) != nil
    guard let error = refusal([0x22] + sequence + [0x22]) else { return isValid }
    return !isValid && error.code == .invalidUTF8 && (1...sequence.count + 1).contains(error.offset)
  }

  @Test func oneAndTwoBytesExhaustively() {
    for first in UInt8(0x80)...0xFF {
      #expect(agrees([first]))
      for second in UInt8(0x80)...0xFF where !agrees([first, second]) { Issue.record("\([first, second])") }
    }
  }

  /// A third byte matters only behind two that can begin a character of three bytes or more; behind a complete one it
  /// begins another, and any other two are refused whatever follows.
  @Test func threeBytesExhaustively() {
    for first in UInt8(0xE0)...0xFF {
      for second in UInt8(0x80)...0xFF {
        let error = refusal([0x22, first, second])
        if error == JSONError(.invalidUTF8, at: 1) || error == JSONError(.invalidUTF8, at: 2) { continue }
        for third in UInt8(0x80)...0xFF where !agrees([first, second, third]) {
          Issue.record("\([first, second, third])")
        }
      }
    }
  }

  @Test func fourBytesAtTheBoundaries() {
    let edges: [UInt8] = [0x22, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC2, 0xED, 0xFF].filter { $0 != 0x22 }
    for first in UInt8(0xEF)...0xFF {
      for second in edges {
        for third in edges {
          for fourth in edges where !agrees([first, second, third, fourth]) {
            Issue.record("\([first, second, third, fourth])")
          }
        }
      }
    }
  }

  // The type is written out: the compiler would look for it for seconds.
  @Test(
    arguments: [([UInt8], Int)]([
      ([0xC0, 0x80], 0), ([0xC1, 0xBF], 0), ([0xE0, 0x80, 0x80], 1), ([0xE0, 0x9F, 0xBF], 1),
      ([0xED, 0xA0, 0x80], 1), ([0xED, 0xBF, 0xBF], 1), ([0xF0, 0x80, 0x80, 0x80], 1), ([0xF0, 0x8F, 0xBF, 0xBF], 1),
      ([0xF4, 0x90, 0x80, 0x80], 1), ([0xF5, 0x80, 0x80, 0x80], 0), ([0xF8], 0), ([0xFE], 0), ([0x80], 0), ([0xBF], 0),
      ([0xE2, 0x82, 0x41], 2), ([0xF0, 0x9F, 0x9A, 0x22], 3), ([0xC3, 0xC3, 0xA9], 1),
    ]))
  func theErrorIsAtTheByteThatCannotStandThere(bytes: [UInt8], offset: Int) {
    let expected = JSONError(.invalidUTF8, at: 3 + offset)
    #expect(refusal([0x5B, 0x22, 0x61] + bytes + [0x22, 0x5D]) == expected)
  }
}
