import Base
import Gzip
import HTTP1
import Upload

/// A request on its way over a line, and what has come of its answer.
final class LineExchange {
  enum Progress {
    case more
    /// Whether the line can serve another request.
    case ended(RequestOutcome, canStay: Bool)
  }

  let device: Int
  let id: UInt64
  let form: LineForm
  /// The whole request.
  let message: [UInt8]
  let begun: MonotonicInstant
  let deadline: MonotonicInstant
  /// Bytes of the message that the kernel has taken.
  var sent = 0
  /// Whether its line has served another request before.
  var isOnReusedLine = false
  var timings = TransferTimings()
  /// Of the last answer, when it is kept.
  private(set) var head: [UInt8] = []

  private let keepsHead: Bool
  private let answerLimit: Int
  private var parser: ResponseParser
  // Of the last head.
  private var status = 0
  private var reason: [UInt8] = []
  private var isPacked = false
  private var allowsAnother = false
  private var body: [UInt8] = []

  init(
    _ request: OutgoingRequest, _ form: LineForm, device: Int, _ configuration: TransportConfiguration,
    now: MonotonicInstant
  ) {
    (self.device, id, self.form) = (device, request.id, form)
    message = form.message(of: request.body)
    begun = now
    deadline = now + max(.milliseconds(1), request.timeout)
    keepsHead = configuration.keepsHeads
    answerLimit = configuration.answerLimit
    var limits = HTTPLimits()
    limits.bodyBytes = configuration.answerLimit
    // As much as libcurl takes.
    limits.headBytes = 300 * 1_024
    limits.fieldCount = 1_000
    parser = ResponseParser(to: .post, limits: limits)
  }

  var key: TransferLoop.RequestKey { TransferLoop.RequestKey(device: device, id: id) }

  var hasAnswerBegun: Bool { timings.receivedBytes > 0 }

  /// Takes what has arrived. An interim answer is passed over (RFC 9110 §15.2).
  func take(_ bytes: Span<UInt8>, into answer: inout ResponseHead, now: MonotonicInstant) -> Progress {
    if timings.receivedBytes == 0 { timings.firstByte = now - begun }
    var taken = 0
    do throws(HTTPError) {
      while true {
        let rest = bytes.extracting(taken..<bytes.count)
        let step = try parser.next(rest, into: &answer)
        taken += step.taken
        timings.receivedBytes += step.taken
        switch step.event {
        case .needMoreInput: return .more
        case .head: note(answer)
        case .body(let range): body.append(copying: rest.extracting(range))
        case .end where status < 200: parser.beginNextResponse(to: .post)
        // What comes behind the answer, or before the whole request was taken, is nobody's.
        case .end:
          let canStay = allowsAnother && taken == bytes.count && sent == message.count
          return .ended(outcome, canStay: canStay)
        }
      }
    } catch {
      return .ended(.failed(.protocolError, message: "the answer is no HTTP: \(error.reason)"), canStay: false)
    }
  }

  /// The server has ended the connection.
  func finish() -> RequestOutcome {
    guard hasAnswerBegun else { return .failed(.incomplete, message: "the connection ended without an answer") }
    do throws(HTTPError) { try parser.finish() } catch {
      return .failed(.incomplete, message: "the connection ended within the answer")
    }
    // An interim answer promises another one.
    return status < 200 ? .failed(.incomplete, message: "the connection ended before the final answer") : outcome
  }

  /// One head serves all lines of a loop in turn.
  private func note(_ answer: borrowing ResponseHead) {
    status = answer.status
    allowsAnother = answer.keepAlive
    reason = []
    reason.append(copying: answer[answer.reason])
    isPacked = answer.fields.value("content-encoding").map { answer.fields[$0].equals(lowercase: "gzip") } ?? false
    if keepsHead { head = answer.fields.bytes }
  }

  private var outcome: RequestOutcome {
    let reason = String(decoding: reason, as: UTF8.self)
    guard isPacked else { return .answered(status: status, reason: reason, body: body) }
    do throws(GzipError) {
      return .answered(status: status, reason: reason, body: try GzipFile.unpack(body, limit: answerLimit))
    } catch { return .failed(.protocolError, message: "\(error)") }
  }
}
