import AnswerCheck
import Base
import Contract
import Formats
import Synchronization
import Threads
import Upload

/// The requests that one clause has sent, to be repeated if all of them were complete.
final class SentLog: Sendable {
  private struct Entry {
    let at: MonotonicInstant
    let phone: Int?
    let device: String
    let request: RawRequest
    var status: Int
  }

  private let entries = Mutex<[Entry]>([])
  private let isUnscriptable = AtomicFlag()
  private let isInPieces = AtomicFlag()
  private let batches = AtomicFlag()
  private let latest = Mutex<MonotonicInstant?>(nil)
  private let names = Mutex<[Int: String]>([:])
  private let busy = Mutex<[Int: Throttling]>([:])
  private let clock = SystemClock()
  /// More would not be a readable reproduction.
  private static let (requestsMax, bytesMax) = (200, 4 << 20)

  /// Notes the name of a phone.
  func introduce(_ name: String, as number: Int) { names.withLock { $0[number] = name } }

  func note(_ request: OutgoingRequest, of phone: Int) {
    if request.payload.map({ $0.uuids.count > 1 }) ?? false { batches.raise() }
    note(RawRequest(request), of: phone)
  }

  /// Whether records were sent in batches.
  var hasBatches: Bool { batches.isRaised }

  func note(_ request: RawRequest, of phone: Int? = nil) {
    let device = phone.flatMap { number in names.withLock { $0[number] } } ?? ""
    let entry = Entry(at: clock.monotonicNow, phone: phone, device: device, request: request, status: 0)
    entries.withLock { $0.append(entry) }
  }

  /// Returns the last request with a record.
  func request(with uuid: UUID128) -> RawRequest? {
    let text = uuid.upperCaseText
    return entries.withLock { entries in
      entries.last { String(decoding: $0.request.body, as: UTF8.self).firstRange(of: text) != nil }?.request
    }
  }

  /// Notes that the requests alone do not reproduce the result, because it depends on their order, their delays, or
  /// other stored data.
  func noteUnscriptable() { isUnscriptable.raise() }

  /// Notes that the clause controlled bytes and times, which no list of complete requests reproduces.
  func noteBytes() { isInPieces.raise() }

  /// The clause has sent nothing.
  var isEmpty: Bool { !isInPieces.isRaised && entries.withLock { $0.isEmpty } }

  /// The time of the last answer; nil where the clause reads its answers itself.
  var lastAnswer: MonotonicInstant? { isInPieces.isRaised ? nil : latest.withLock { $0 } }

  /// Notes the answer to the last request of a phone.
  func noteAnswer(_ status: Int, of phone: Int? = nil) {
    latest.withLock { $0 = clock.monotonicNow }
    entries.withLock { entries in
      if let index = entries.lastIndex(where: { $0.phone == phone }) { entries[index].status = status }
    }
  }

  /// An upload that a busy backend rejected and that did not succeed later.
  struct Throttling: Sendable {
    let status: Int
    /// The time to wait.
    let milliseconds: Int
  }

  var throttling: Throttling? { busy.withLock { $0.values.max { $0.milliseconds < $1.milliseconds } } }

  /// Notes a rejection. For a phone the last answer counts; an answer on a separate connection is not repeated.
  func noteThrottling(_ status: Int, _ head: AnswerHead, of phone: Int? = nil) {
    busy.withLock { busy in
      if RateLimit.isThrottling(status) {
        let wait = min(max(SentLog.wait(head), 300), SentLog.waitMax)
        busy[phone ?? -1] = Throttling(status: status, milliseconds: wait)
      } else if let phone {
        busy[phone] = nil
      }
    }
  }

  private static let waitMax = 2_000

  /// Returns the milliseconds of a Retry-After; 0 for none, or for more than an hour, which no run has.
  static func wait(_ head: AnswerHead) -> Int {
    RateLimit.delay(head, at: SystemClock().wallNow).flatMap { $0 <= 3_600_000 ? Int($0) : nil } ?? 0
  }

  /// The requests as a scenario; nil if there are none, too many, or incomplete ones.
  var asScenario: [UInt8]? {
    let entries = entries.withLock { $0 }
    guard let first = entries.first, !isInPieces.isRaised, !isUnscriptable.isRaised,
      entries.allSatisfy(\.request.isPlain),
      entries.count <= SentLog.requestsMax,
      entries.reduce(0, { $0 + $1.request.body.count }) <= SentLog.bytesMax
    else { return nil }
    var bytes: [UInt8] = []
    for entry in entries {
      if !bytes.isEmpty { bytes += RequestScenario.separator }
      RequestScenario.append(
        at: (entry.at - first.at).wholeMilliseconds, device: entry.device, method: entry.request.method,
        path: TargetAddress(entry.request.url)?.path ?? "/", headers: entry.request.headers, body: entry.request.body,
        status: entry.status, to: &bytes)
    }
    return bytes
  }
}
