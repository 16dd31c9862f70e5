import HTTP1
import Support
import Testing

/// Reads one input in all the ways in which it can arrive, and demands the same answer of each: whole (in front of a
/// guard page), byte by byte, at random cuts, behind another request, and cut off after every byte.
enum EveryWay {
  typealias Reader = (Span<UInt8>, [Int]) -> HTTP1Transcript

  static func requests(
    _ text: String, limits: HTTPLimits = HTTPLimits(), at place: SourceLocation = #_sourceLocation
  ) -> HTTP1Transcript {
    requests(Array(text.utf8), limits: limits, at: place)
  }

  static func requests(
    _ input: [UInt8], limits: HTTPLimits = HTTPLimits(), at place: SourceLocation = #_sourceLocation
  ) -> HTTP1Transcript {
    let read: Reader = { HTTP1Transcript.ofRequests($0, pieces: $1, limits: limits) }
    let whole = transcript(of: input, read, place)
    let first = Array("POST /first HTTP/1.1\r\nHost: p\r\nContent-Length: 3\r\n\r\nabc".utf8)
    let glued = first + input
    var behind = read(glued.span, Cuts.whole(glued.count))
    #expect(behind.messages.first?.body == Array("abc".utf8), sourceLocation: place)
    behind.messages = behind.messages.dropFirst().map { moved($0, by: -first.count) }
    behind.errorStart -= first.count
    #expect(behind == whole, "behind another request", sourceLocation: place)
    return whole
  }

  static func responses(
    _ text: String, to method: HTTPMethod = .get, limits: HTTPLimits = HTTPLimits(),
    at place: SourceLocation = #_sourceLocation
  ) -> HTTP1Transcript {
    let read: Reader = { HTTP1Transcript.ofResponses($0, pieces: $1, to: method, limits: limits) }
    return transcript(of: Array(text.utf8), read, place)
  }

  private static func transcript(of input: [UInt8], _ read: Reader, _ place: SourceLocation) -> HTTP1Transcript {
    let whole = GuardedBytes(input).withSpan { read($0, Cuts.whole(input.count)) }
    #expect(read(input.span, Cuts.singleBytes(input.count)) == whole, "byte by byte", sourceLocation: place)
    for seed in UInt64(0)..<8 {
      var generator = SeededGenerator(seed: seed)
      let cuts = Cuts.random(input.count, using: &generator)
      #expect(read(input.span, cuts) == whole, "seed \(seed), cuts \(cuts)", sourceLocation: place)
    }
    // Long inputs are cut where something can change: near both ends.
    let lengths = input.count < 2_000 ? Array(0..<input.count) : Array(0..<200) + Array(input.count - 200..<input.count)
    for length in lengths {
      let beginning = GuardedBytes(Array(input[..<length])).withSpan { read($0, Cuts.whole(length)) }
      #expect(isBeginning(beginning, of: whole), "cut off after \(length) bytes", sourceLocation: place)
    }
    return whole
  }

  /// Nothing refused unless the whole is refused for the same reason, and nothing said that the whole does not say.
  private static func isBeginning(_ beginning: HTTP1Transcript, of whole: HTTP1Transcript) -> Bool {
    if beginning.error != nil { return beginning == whole }
    guard beginning.messages.count <= whole.messages.count else { return false }
    for (early, late) in zip(beginning.messages, whole.messages) {
      guard late.body.starts(with: early.body), early.end == nil || early.end == late.end else { return false }
      var complete = early
      complete.body = late.body
      complete.end = late.end
      guard complete == late else { return false }
    }
    return true
  }

  private static func moved(_ message: HTTP1Transcript.Message, by distance: Int) -> HTTP1Transcript.Message {
    var message = message
    message.start += distance
    message.end = message.end.map { $0 + distance }
    return message
  }
}

extension HTTP1Transcript.Message {
  func value(_ name: String) -> String? {
    let field = fields.first { String(decoding: $0.name, as: UTF8.self) == name }
    return field.map { String(decoding: $0.value, as: UTF8.self) }
  }

  var line: String { startLine.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ") }
  var path: [String] { segments.map { String(decoding: $0, as: UTF8.self) } }
  var content: String { String(decoding: body, as: UTF8.self) }
}
