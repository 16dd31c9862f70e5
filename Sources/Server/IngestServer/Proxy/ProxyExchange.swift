import Base
import Contract
import Gzip
import HTTP1
import Network

/// One request that passes through a proxy, and its answer.
final class ProxyExchange {
  /// The request's values, as for a request that is answered here.
  let exchange: Exchange
  let framing: BodyFraming
  /// Whether the client waits for 100 Continue before it sends the body.
  let expectsContinue: Bool
  /// The head of a held request, without the framing of its body.
  var heldHead: [UInt8] = []
  /// The request target, for the clauses.
  let target: String
  /// The body, as far as there is room.
  private(set) var body = BodyBuffer()
  /// Whether the complete body is needed to decide about the request.
  var isHeld = false
  /// The fault of the answer; that of the request is over by then.
  var answerFault: AppliedFault?

  /// When the upstream had its first bytes: what a fault held back before is not its time, nor is what the client takes to read.
  var passedAt: MonotonicInstant?
  /// When the upstream's answer had ended, or was not waited for any longer.
  var answeredAt: MonotonicInstant?
  /// The status of the upstream's answer; 0 while there is none.
  var status = 0
  var answerHead: [UInt8] = []
  var answerCoding = ContentCoding.identity
  private(set) var answer: [UInt8] = []
  private var answerBytes = 0
  /// Why there was no answer.
  var failure: UpstreamFailure?
  /// The status of the answer, if the client gets it completely; 0 otherwise.
  var deliveredStatus = 0
  /// The number of the body's records that a fault passes to the upstream; nil for all.
  var passedRecords: Int?
  /// Whether the client has got its part of the answer.
  var hasAnswerLeft = false
  /// Whether the client was gone before it had the answer.
  var isClientGone = false
  /// The answer given in the upstream's place.
  var ownAnswer: Response?

  /// The bytes kept of an answer: the clauses need a complete one, unless it is too long.
  private static let answerBytesMax = 131_072

  init(_ exchange: Exchange, _ head: borrowing RequestHead, target: String) {
    self.exchange = exchange
    framing = head.framing
    expectsContinue = head.expectsContinue
    self.target = target
  }

  /// Keeps a piece of the body. Returns false when there is no room; then the kept body is incomplete.
  func keep(_ bytes: Span<UInt8>, in budget: BodyBudget, atMost limit: Int) -> Bool {
    body.append(bytes, of: framing, in: budget, atMost: limit)
  }

  /// Returns the body, decompressed if its coding is gzip (RFC 9110 §8.4.1.3) and it has at most `limit` bytes. Empty when
  /// there is none or it cannot be read. The result is not kept: a small body can have a large content.
  func content(atMost limit: Int) -> [UInt8] {
    guard body.isWhole else { return [] }
    do throws(GzipError) { return try exchange.coding.content(of: body.bytes, limit: limit) ?? [] } catch { return [] }
  }

  func keepAnswer(_ bytes: Span<UInt8>) {
    answerBytes += bytes.count
    let room = Self.answerBytesMax - answer.count
    if room > 0 { answer.append(copying: bytes.extracting(first: min(room, bytes.count))) }
  }

  /// The decoded content of the answer, for a client that accepts gzip, as phones do. Nil when it is too long, in another coding,
  /// or damaged.
  var answerContent: [UInt8]? {
    guard answer.count == answerBytes else { return nil }
    do throws(GzipError) { return try answerCoding.content(of: answer, limit: Self.answerBytesMax) } catch {
      return nil
    }
  }

  /// Returns the body and gives up its memory.
  func takeBody(_ budget: BodyBudget) -> [UInt8] { body.take(budget) }
}
