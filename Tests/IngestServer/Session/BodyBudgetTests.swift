import HTTP1
import Network
import Testing

@testable import IngestServer

/// How much of a loop's time and of the memory one client may take.
@Suite struct BodyBudgetTests {
  private static let length = 131_072
  private static let short =
    #"{"location":{"uuid":"5A4B0000-0000-4000-8000-000000000001","coords":{"latitude":1,"longitude":2}}}"#

  /// A connection that has sent all of a large body but its last byte.
  private func stall(_ harness: SessionHarness) -> IngestSession {
    harness.connect()
    harness.send(SessionHarness.bytes("POST", "/locations", [("Content-Length", "\(Self.length)")]))
    harness.send([UInt8](repeating: UInt8(ascii: " "), count: Self.length - 1))
    return harness.session
  }

  private func makeHarness() throws -> SessionHarness {
    try SessionHarness {
      $0.bodyBytesMax = Self.length
      $0.bodyMemoryMax = Self.length
    }
  }

  @Test func largeBodiesHaveABoundedMemory() throws {
    let harness = try makeHarness()
    let stalled = [stall(harness), stall(harness)]
    #expect(try harness.answer() == nil)
    _ = stall(harness)
    let answer = try #require(try harness.answer())
    #expect(answer.status == 503 && answer.field("Retry-After") == "1" && !answer.keepsAlive)
    // What is short needs none of it.
    harness.connect()
    #expect(try harness.upload(Self.short).status == 200)
    stalled[0].closed(.clientGone, now: harness.monotonic)
    _ = stall(harness)
    #expect(try harness.answer() == nil)
  }

  @Test func aBodyThatIsCompleteOrTooSlowGivesItsMemoryBack() throws {
    let harness = try makeHarness()
    for _ in 0..<5 {
      _ = stall(harness)
      harness.send(" ")
      #expect(try harness.answer()?.status == 400)
      _ = stall(harness)
      harness.timeOut(.bodyRate)
      #expect(try harness.answer()?.status == 408)
    }
  }

  @Test func theLongestBodyFitsWhateverTheBudgetIs() throws {
    let harness = try SessionHarness {
      $0.bodyBytesMax = Self.length
      $0.bodyMemoryMax = 1
    }
    _ = stall(harness)
    harness.send(" ")
    #expect(try harness.answer()?.status == 400)
  }

  /// No further byte calls for the end of a request whose last byte was taken with the last of the share.
  @Test func aRequestThatEndsWithTheShareIsAnswered() throws {
    for pieces in 1_880...1_930 {
      let harness = try SessionHarness()
      let first = SessionHarness.bytes("POST", "/locations", [("Transfer-Encoding", "chunked")])
      let chunks = Array((String(repeating: "1\r\n \r\n", count: pieces) + "0\r\n\r\n").utf8)
      harness.send(first + chunks + Array("POST /locations HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n ".utf8))
      #expect(try harness.answer()?.status == 400 && harness.answer()?.status == 400, "\(pieces) chunks")
    }
  }

  @Test(arguments: ["GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n", "1\r\n \r\n"])
  func manySmallPiecesAreLeftForTheNextTurn(piece: String) throws {
    let harness = try SessionHarness()
    if piece.hasPrefix("1") {
      harness.send(SessionHarness.bytes("POST", "/locations", [("Transfer-Encoding", "chunked")]))
    }
    let input = Array(String(repeating: piece, count: 4_000).utf8)
    let first = harness.call { $0.receive(input.span, &$1) }
    #expect(first > 0 && first < input.count && harness.output.hasUsedItsShare)
    harness.send(Array(input[first...]))
    #expect(!harness.output.hasUsedItsShare)
    if piece.hasPrefix("1") {
      harness.send("0\r\n\r\n")
      #expect(try harness.answer()?.status == 400)
    } else {
      for number in 0..<4_000 { #expect(try harness.answer(to: .get)?.status == 200, "answer \(number)") }
    }
  }
}
