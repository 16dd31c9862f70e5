import JSON

/// Mutated texts against the reader and the writer. The same seed and iteration give the same input.
package struct JSONFuzz {
  private let mutator = Mutator(corpus: JSONCorpus.texts, tokens: JSONCorpus.tokens)
  private let limits = JSONLimits(maxDepth: 8)

  package init() {}

  package func input(seed: UInt64, iteration: Int) -> [UInt8] {
    var generator = SeededGenerator(seed: seed &+ UInt64(iteration) &* 0xD134_2543_DE82_EF95)
    return mutator.next(using: &generator)
  }

  /// Any bits, or as often a number of few digits.
  private func number(seed: UInt64, iteration: Int) -> Double {
    var generator = SeededGenerator(seed: ~seed &+ UInt64(iteration) &* 0xD134_2543_DE82_EF95)
    guard generator.chance(0.5) else { return Double(bitPattern: generator.next()) }
    let scale = [1, 1e2, 1e7, 1e15][generator.index(below: 4)]
    return (Double.random(in: -1000...1000, using: &generator) * scale).rounded() / scale
  }

  /// The first finding, or nil.
  package func run(seed: UInt64, iterations: Range<Int>) -> FuzzFinding? {
    for iteration in iterations {
      let input = input(seed: seed, iteration: iteration)
      FuzzFlightRecorder.note(seed: seed, iteration: iteration, input: input)
      if let complaint = complaint(about: input) {
        return FuzzFinding(seed: seed, iteration: iteration, input: input, complaint: complaint)
      }
      let number = number(seed: seed, iteration: iteration)
      let text = JSONValue.double(number).serialized
      if number.isFinite, let complaint = Self.complaint(about: number, writtenAs: text) {
        return FuzzFinding(seed: seed, iteration: iteration, input: text, complaint: complaint)
      }
    }
    return nil
  }

  /// What is wrong with the way this input is treated, or nil.
  package func complaint(about input: [UInt8]) -> String? {
    let pulled = pull(input.span)
    let reference = JSONReference(input, maxDepth: limits.maxDepth)
    let verdict = reference.verdict
    guard Self.agrees(pulled, verdict, count: input.count) else { return "the grammar says \(verdict), not \(pulled)" }
    guard GuardedBytes(input).withSpan(pull) == pulled else { return "another answer in front of a guard page" }
    if let complaint = complaintAboutSkipping(input, pulled, verdict) { return complaint }
    switch pulled {
    case .success(let events):
      return Self.complaintAboutContent(events, reference) ?? complaintAboutRoundTrip(events)
        ?? complaintAboutTree(input)
    case .failure(let error): return complaintAboutBeginning(input, error)
    }
  }

  /// A number reads back bit for bit, and no shorter form would: its digits are those of the standard library.
  private static func complaint(about number: Double, writtenAs text: [UInt8]) -> String? {
    let string = String(decoding: text, as: UTF8.self)
    var reader = JSONReader(text.span)
    let read: JSONNumber
    do throws(JSONError) { read = try reader.readNumber() } catch { return "wrote \(number) as \(string): \(error)" }
    guard reader.offset == text.count else { return "wrote \(number) as \(string)" }
    let isSame = reader.double(read).bitPattern == number.bitPattern && Double(string)?.bitPattern == number.bitPattern
    guard isSame else { return "\(number) reads back as \(reader.double(read))" }
    let isShortest = DecimalText(string) == DecimalText(number.description)
    return isShortest ? nil : "\(number) was written as \(string)"
  }

  private func pull(_ bytes: Span<UInt8>) -> Result<[JSONEvent], JSONError> {
    do throws(JSONError) {
      return .success(try JSONEvent.all(bytes, limits: limits))
    } catch {
      return .failure(error)
    }
  }

  private static func agrees(
    _ pulled: Result<[JSONEvent], JSONError>, _ verdict: JSONReference.Verdict, count: Int
  ) -> Bool {
    guard case .failure(let error) = pulled else { return verdict == .valid }
    switch error.code {
    case .unexpectedEnd: return verdict == .endsTooEarly && error.offset == count
    case .tooDeep: return verdict == .tooDeep(at: error.offset)
    case .numberTooLarge: return verdict == .numberTooLarge(at: error.offset)
    case .expectedValue, .expectedKey, .expectedColon, .expectedCommaOrClosing, .unexpectedByteAfterText,
      .invalidNumber, .controlCharacterInText, .invalidEscape, .loneSurrogate, .invalidUTF8:
      return verdict == .malformed(at: error.offset)
    case .wrongKind, .integerOutOfRange, .duplicateKey: return false
    }
  }

  /// Strings say what they should, scalar by scalar, and numbers are the doubles they should be, bit by bit.
  private static func complaintAboutContent(_ events: [JSONEvent], _ reference: JSONReference) -> String? {
    var strings: [String] = []
    var bits: [UInt64] = []
    for event in events {
      switch event {
      case .key(let text), .string(let text): strings.append(text)
      case .number(_, let number): bits.append(number)
      case .beginObject, .endObject, .beginArray, .endArray, .bool, .null: break
      }
    }
    guard strings.map({ Array($0.utf8) }) == reference.strings.map({ Array($0.utf8) }) else {
      return "strings are read as \(strings) and not as \(reference.strings)"
    }
    guard bits == reference.numbers.map(\.bitPattern) else {
      return "numbers are read as \(bits.map(Double.init(bitPattern:))) and not as \(reference.numbers)"
    }
    return nil
  }

  /// Skipping a value checks what reading it checks, but for the depth, also behind another text in the same span.
  private func complaintAboutSkipping(
    _ input: [UInt8], _ pulled: Result<[JSONEvent], JSONError>, _ verdict: JSONReference.Verdict
  ) -> String? {
    let front = Array("[1] ".utf8)
    let glued = front + input
    var verdict = verdict
    if case .tooDeep = verdict { verdict = JSONReference(input, maxDepth: .max).verdict }
    switch Self.skip(glued, limits) {
    case .success(let range):
      guard verdict == .valid else { return "skipped what the grammar calls \(verdict)" }
      if case .success(let events) = pulled, case let slice = pull(glued.span.extracting(range)),
        slice != .success(events)
      {
        return "the raw slice reads differently"
      }
      let structure = Self.skip(glued, JSONLimits(isStructureOnly: true))
      return structure == .success(range) ? nil : "by its structure alone it is \(structure)"
    case .failure(let error):
      let own = JSONError(error.code, at: error.offset - front.count)
      return Self.agrees(.failure(own), verdict, count: input.count) ? nil : "skipping gives \(own), not \(verdict)"
    }
  }

  /// The second value of a text that holds two.
  private static func skip(_ bytes: [UInt8], _ limits: JSONLimits) -> Result<Range<Int>, JSONError> {
    var reader = JSONReader(bytes.span, limits: limits)
    do throws(JSONError) {
      _ = try reader.skipValue()
      let range = try reader.skipValue()
      try reader.finish()
      return .success(range)
    } catch {
      return .failure(error)
    }
  }

  /// What was read can be written, and what was written reads the same.
  private func complaintAboutRoundTrip(_ events: [JSONEvent]) -> String? {
    var writer = JSONWriter()
    for event in events { event.write(to: &writer) }
    guard case .success(events) = pull(writer.bytes.span) else { return "written and read again, it differs" }
    return nil
  }

  private func complaintAboutTree(_ input: [UInt8]) -> String? {
    do throws(JSONError) {
      let first = try JSONValue(parsing: input.span, limits: limits, reading: .lenient).serialized
      let second = try JSONValue(parsing: first.span, limits: limits).serialized
      return first == second ? nil : "the tree changes when it is written and read again"
    } catch {
      return error.code == .integerOutOfRange ? nil : "the tree refuses what can be read: \(error)"
    }
  }

  /// Up to the offset of an error of syntax the input was the beginning of a valid text.
  private func complaintAboutBeginning(_ input: [UInt8], _ error: JSONError) -> String? {
    let beginning = input[..<error.offset]
    switch pull(Array(beginning).span) {
    case .success, .failure(JSONError(.unexpectedEnd, at: beginning.count)): return nil
    case .failure(let earlier): return "without its end the error is \(earlier) and not \(error)"
    }
  }
}
