import Base
import Contract
import Gzip
import HTTP1
import Network

/// One request that passes through a proxy, with what is known and kept of it and of its answer.
final class ProxyExchange {
  /// Who it is from and what it asks for, as for a request that is answered here.
  let exchange: Exchange
  let framing: BodyFraming
  /// The client waits for leave to send the body.
  let expectsContinue: Bool
  /// The head of a request that is held, without what frames its body.
  var heldHead: [UInt8] = []
  /// For the clauses: what the client asked for.
  let target: String
  /// As much of the body as there is room for.
  private(set) var body = BodyBuffer()
  /// The whole body must be here before it is known what becomes of the request.
  var isHeld = false
  /// The fault that the answer meets; that of the request is over by then.
  var answerFault: AppliedFault?

  /// When the upstream had its first bytes: what a fault held back before is not its time, nor is what the client takes to read.
  var passedAt: MonotonicInstant?
  /// When the upstream's answer had ended, or was not waited for any longer.
  var answeredAt: MonotonicInstant?
  /// Of the upstream; 0 while there is none.
  var status = 0
  var answerHead: [UInt8] = []
  var answerCoding = ContentCoding.identity
  private(set) var answer: [UInt8] = []
  private var answerBytes = 0
  /// Why there was no answer.
  var failure: UpstreamFailure?
  /// Of the answer that the client gets, where it gets the whole of it; 0 otherwise.
  var deliveredStatus = 0
  /// So many records of the body the upstream gets, by a fault; nil: all.
  var passedRecords: Int?
  /// The client has what it gets of the answer.
  var hasAnswerLeft = false
  /// The client was gone before it had the answer.
  var isClientGone = false
  /// What was answered in the upstream's place.
  var ownAnswer: Response?

  /// What is kept of an answer: the clauses want all of one that is not too long.
  private static let answerBytesMax = 131_072

  init(_ exchange: Exchange, _ head: borrowing RequestHead, target: String) {
    self.exchange = exchange
    framing = head.framing
    expectsContinue = head.expectsContinue
    self.target = target
  }

  /// A piece of the body has come. False when there is no room for it: what is kept is then not the whole.
  func keep(_ bytes: Span<UInt8>, in budget: BodyBudget, atMost limit: Int) -> Bool {
    body.append(bytes, of: framing, in: budget, atMost: limit)
  }

  /// The body as it can be read: unpacked, where it is in the coding gzip (RFC 9110 §8.4.1.3) and holds no more than `limit`. Empty
  /// for what is not there, or cannot be read. It is not kept: a small body can hold a large content.
  func content(atMost limit: Int) -> [UInt8] {
    guard body.isWhole else { return [] }
    do throws(GzipError) { return try exchange.coding.content(of: body.bytes, limit: limit) ?? [] } catch { return [] }
  }

  func keepAnswer(_ bytes: Span<UInt8>) {
    answerBytes += bytes.count
    let room = Self.answerBytesMax - answer.count
    if room > 0 { answer.append(copying: bytes.extracting(first: min(room, bytes.count))) }
  }

  /// What the answer says, for a client that takes gzip, as phones do. Nil where it is too long, or in another coding, or cannot be
  /// unpacked.
  var answerContent: [UInt8]? {
    guard answer.count == answerBytes else { return nil }
    do throws(GzipError) { return try answerCoding.content(of: answer, limit: Self.answerBytesMax) } catch {
      return nil
    }
  }

  /// The body for another use.
  func takeBody(_ budget: BodyBudget) -> [UInt8] { body.take(budget) }
}
