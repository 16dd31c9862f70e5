import JSON
import Support
import Testing

/// The answer must not depend on where the bytes are, what lies behind them or how many of them have arrived.
@Suite struct FeedingTests {
  static let texts = [
    #" {"timestamp":"2026-07-28T18:34:22.563Z","age":30,"is_moving":true,"odometer":507.54,"extras":{}} "#,
    #"[-0.5e-10,123456789012345678901234567890,[null,false,[]],{"k":{"k":{}}},"a"]"#,
    #"["\"\\\/\b\f\n\r\t\u00e9\uD834\uDD1E","größe 速度 🚗 and plain text behind it"]"#,
    "-12.5e+1", "0", "\"\"", "{}", "null",
  ]
  static let broken = [
    #"{"a":[1,2,{"b":tru}]}"#, #"["\ud800\u0041"]"#, "[1,2,]", "[01]", "[\"\u{1}\"]", "[1e999]", "{\"a\" 1}",
  ]

  private func answer(_ bytes: Span<UInt8>) -> Result<[JSONEvent], JSONError> {
    do throws(JSONError) { return .success(try JSONEvent.all(bytes)) } catch { return .failure(error) }
  }

  /// A beginning ends too early at its own length, unless it is a complete text itself.
  @Test(arguments: texts) func aTextCutAnywhereEndsTooEarly(text: String) {
    let bytes = Array(text.utf8)
    for length in 0..<bytes.count {
      let beginning = Array(bytes[..<length])
      let answer = answer(beginning.span)
      let isComplete = JSONReference.judge(beginning) == .valid
      if isComplete {
        #expect(Self.endsLoosely(text), "cut at \(length)")
      } else {
        #expect(answer == .failure(JSONError(.unexpectedEnd, at: length)), "cut at \(length)")
        #expect(refusalWhenSkipped(beginning) == JSONError(.unexpectedEnd, at: length), "cut at \(length)")
      }
    }
  }

  /// Whether the text is complete without its last bytes too, because they are digits or white space.
  private static func endsLoosely(_ text: String) -> Bool { text.last == " " || text.last?.isNumber == true }

  @Test(arguments: texts + broken) func everyBeginningIsReadTheSameInFrontOfAnUnreadablePage(text: String) {
    let bytes = Array(text.utf8)
    for length in 0...bytes.count {
      let beginning = Array(bytes[..<length])
      let expected = answer(beginning.span)
      #expect(GuardedBytes(beginning).withSpan(answer) == expected, "cut at \(length)")
      let inTheMiddle = Array("1,\"".utf8) + bytes + Array("\"1".utf8)
      #expect(answer(inTheMiddle.span.extracting(3..<3 + length)) == expected, "cut at \(length)")
    }
  }

  @Test func textsThatFollowEachOtherAreReadOneByOne() throws {
    for separator in ["", " ", "\n", "\r\n\t"] {
      let texts = [#"{"a":1}"#, "[]", "\"x\"", "{}", "[2]", "true", "\"\"", "null", "[1]", "1.5"]
      let bytes = Array((texts.joined(separator: separator) + separator).utf8)
      var reader = JSONReader(bytes.span)
      var read: [String] = []
      var ends: [Int] = []
      while !reader.isAtEnd() {
        let range = try reader.skipValue()
        ends.append(reader.offset - range.upperBound)
        read.append(String(decoding: bytes[range], as: UTF8.self))
      }
      #expect(read == texts)
      #expect(ends.allSatisfy { $0 == 0 })
      try reader.finish()
    }
  }

  @Test func anErrorInALaterTextIsCountedFromTheStartOfTheSpan() throws {
    let bytes = Array("{}\n{\"a\"}".utf8)
    var reader = JSONReader(bytes.span)
    _ = try reader.skipValue()
    do throws(JSONError) {
      _ = try reader.skipValue()
      Issue.record("a key without a value was accepted")
    } catch {
      #expect(error == JSONError(.expectedColon, at: 7))
    }
  }
}

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
