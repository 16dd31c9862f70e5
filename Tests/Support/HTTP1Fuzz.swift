import HTTP1

/// Mutated messages against parsers and writers. The same seed and iteration give the same input.
package struct HTTP1Fuzz {
  private let requests = Mutator(corpus: HTTP1Corpus.requests, tokens: HTTP1Corpus.tokens)
  private let responses = Mutator(corpus: HTTP1Corpus.responses, tokens: HTTP1Corpus.tokens)
  private let bodies = Mutator(
    corpus: HTTP1Corpus.multipart, tokens: HTTP1Corpus.tokens + ["--b", "--b--", "; name=\"n\""].map { Array($0.utf8) })

  /// Tight enough that mutations reach every bound.
  private let limits: HTTPLimits = {
    var limits = HTTPLimits()
    limits.targetBytes = 64
    limits.headBytes = 256
    limits.fieldCount = 8
    limits.bodyBytes = 64
    limits.chunkExtensionBytes = 32
    limits.trailerBytes = 48
    limits.partHeadBytes = 160
    limits.partCount = 4
    limits.formItems = 4
    return limits
  }()

  package init() {}

  package func input(seed: UInt64, iteration: Int) -> [UInt8] {
    var generator = generator(seed, iteration)
    switch iteration % 4 {
    case 0, 1: return requests.next(using: &generator)
    case 2: return responses.next(using: &generator)
    default: return bodies.next(using: &generator)
    }
  }

  /// The first finding, or nil.
  package func run(seed: UInt64, iterations: Range<Int>) -> FuzzFinding? {
    for iteration in iterations {
      let input = input(seed: seed, iteration: iteration)
      FuzzFlightRecorder.note(seed: seed, iteration: iteration, input: input)
      var cuts = generator(~seed, iteration)
      if let complaint = complaint(about: input, cutBy: &cuts) {
        return FuzzFinding(seed: seed, iteration: iteration, input: input, complaint: complaint)
      }
    }
    return nil
  }

  private func generator(_ seed: UInt64, _ iteration: Int) -> SeededGenerator {
    SeededGenerator(seed: seed &+ UInt64(iteration) &* 0xD134_2543_DE82_EF95)
  }

  /// What is wrong with the way this input is treated, or nil. Every input goes through every parser.
  package func complaint(about input: [UInt8], cutBy generator: inout SeededGenerator) -> String? {
    let method: HTTPMethod = generator.chance(0.2) ? .head : .post
    let readers: [(Span<UInt8>, [Int]) -> HTTP1Transcript] = [
      { HTTP1Transcript.ofRequests($0, pieces: $1, limits: limits) },
      { HTTP1Transcript.ofResponses($0, pieces: $1, to: method, limits: limits) },
    ]
    for read in readers {
      if let complaint = complaintAboutCuts(input, read, &generator) { return complaint }
    }
    let transcript = HTTP1Transcript.ofRequests(input.span, pieces: Cuts.whole(input.count), limits: limits)
    return complaintAboutAccepted(transcript, in: input) ?? complaintAboutBodies(input)
  }

  /// The same answer however the input is cut, and never another one for its beginning.
  private func complaintAboutCuts(
    _ input: [UInt8], _ read: (Span<UInt8>, [Int]) -> HTTP1Transcript, _ generator: inout SeededGenerator
  ) -> String? {
    let whole = GuardedBytes(input).withSpan { read($0, Cuts.whole(input.count)) }
    if read(input.span, Cuts.singleBytes(input.count)) != whole { return "byte by byte the answer differs" }
    let cuts = Cuts.random(input.count, using: &generator)
    if read(input.span, cuts) != whole { return "cut into \(cuts) the answer differs" }
    let length = generator.index(below: input.count + 1)
    let beginning = GuardedBytes(Array(input[..<length])).withSpan { read($0, Cuts.whole(length)) }
    if let error = beginning.error, error != whole.error || beginning.messages != whole.messages {
      return
        "the first \(length) bytes alone are refused with \(error), the whole with \(String(describing: whole.error))"
    }
    return nil
  }

  /// What was accepted satisfies a strict neighbour, and written again it is read as the same.
  private func complaintAboutAccepted(_ transcript: HTTP1Transcript, in input: [UInt8]) -> String? {
    var rewritten: [UInt8] = []
    var expected: [HTTP1Transcript.Message] = []
    for message in transcript.messages {
      guard let end = message.end else { continue }
      if let objection = HTTP1Reference.objection(to: Array(input[message.start..<end]), readAs: message) {
        return objection
      }
      var copy = message
      copy.start = rewritten.count
      guard HTTP1Rewriting.append(message, to: &rewritten) else { return "the writer refuses what the parser accepted" }
      copy.end = rewritten.count
      expected.append(copy)
    }
    var roomy = limits
    roomy.headBytes += 256
    let again = HTTP1Transcript.ofRequests(rewritten.span, pieces: Cuts.whole(rewritten.count), limits: roomy)
    if again.error != nil || again.messages != expected { return "written and read again, it differs" }
    return nil
  }

  /// The body helpers answer or refuse; what they answer lies inside the body and is in order.
  private func complaintAboutBodies(_ input: [UInt8]) -> String? {
    GuardedBytes(input).withSpan { span in
      _ = accepted { () throws(HTTPError) in try MediaType(parsing: span) }
      let items = accepted { () throws(HTTPError) in try FormItem.parse(span, limits: limits) }
      if let items, items.count > limits.formItems { return "too many items" }
      let parts = accepted { () throws(HTTPError) in try FormPart.parse(span, boundary: "b", limits: limits) }
      guard let parts else { return nil }
      var end = 0
      for part in parts {
        if part.content.lowerBound < end || part.content.upperBound > span.count { return "parts overlap" }
        end = part.content.upperBound
      }
      return nil
    }
  }

  /// Nil for a refusal, which is as good an answer as any.
  private func accepted<Result>(_ parse: () throws(HTTPError) -> Result) -> Result? {
    do throws(HTTPError) { return try parse() } catch { return nil }
  }
}
