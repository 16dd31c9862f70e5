import HTTP1
import Support
import Testing

@Test func mutatedMessagesAreTreatedAlikeHoweverTheyAreCut() throws {
  let seed = UInt64.random(in: 0...UInt64(UInt32.max))
  if let finding = HTTP1Fuzz().run(seed: seed, iterations: 0..<2_000) { throw finding }
}

/// The corpus itself must be accepted, or its mutations would only ever test refusals.
@Test func theCorpusIsAccepted() {
  for input in HTTP1Corpus.requests {
    let transcript = HTTP1Transcript.ofRequests(input.span, pieces: Cuts.whole(input.count))
    #expect(transcript.isComplete, "\(String(decoding: input, as: UTF8.self).debugDescription)")
  }
  for input in HTTP1Corpus.responses {
    let transcript = HTTP1Transcript.ofResponses(input.span, pieces: Cuts.whole(input.count), to: .post)
    #expect(transcript.error == nil)
    #expect(!transcript.messages.isEmpty)
  }
}
