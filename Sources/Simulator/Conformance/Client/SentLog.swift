import AnswerCheck
import Base
import Contract
import Formats
import Synchronization
import Threads
import Upload

/// The requests that one clause has sent, to be repeated if all of them were complete.
final class SentLog: Sendable {
  struct Entry {
    let at: MonotonicInstant
    let phone: Int?
    /// Empty where no phone sent it.
    let device: String
    let request: RawRequest
    let kind: Kind
    /// The signals of the restarts of the backend since the entry before.
    let restarts: [String]
    var status = 0
  }

  enum Kind {
    case sent
    /// It was sent in pieces or in another form, or not at all.
    case prepared
    /// It queues commands at the backend.
    case queueing
  }

  private let entries = Mutex<[Entry]>([])
  private let isUnscriptable = AtomicFlag()
  private let restarts = Mutex<[String]>([])
  private let hasPieces = AtomicFlag()
  private let batches = AtomicFlag()
  private let latest = Mutex<MonotonicInstant?>(nil)
  private let names = Mutex<[Int: String]>([:])
  private let busy = Mutex<[Int: Throttling]>([:])
  private let clock = SystemClock()
  /// More would not be a readable reproduction.
  private static let (requestsMax, bytesMax) = (200, 4 << 20)

  /// Notes the name of a phone.
  func introduce(_ name: String, as number: Int) { names.withLock { $0[number] = name } }

  func note(_ request: OutgoingRequest, of phone: Int, _ kind: Kind = .sent) {
    if request.payload.map({ $0.uuids.count > 1 }) ?? false { batches.raise() }
    note(RawRequest(request), of: phone, kind)
  }

  /// Whether records were sent in batches.
  var hasBatches: Bool { batches.isRaised }

  func note(_ request: RawRequest, of phone: Int? = nil, _ kind: Kind = .sent) {
    let device = phone.flatMap { number in names.withLock { $0[number] } } ?? ""
    let signals = restarts.withLock { signals in
      defer { signals = [] }
      return signals
    }
    let entry = Entry(
      at: clock.monotonicNow, phone: phone, device: device, request: request, kind: kind, restarts: signals)
    entries.withLock { $0.append(entry) }
  }

  func note(restart signal: String) { restarts.withLock { $0.append(signal) } }

  /// The signals of the restarts since the last entry.
  var lastRestarts: [String] { restarts.withLock { $0 } }

  /// All entries, up to now.
  var all: [Entry] { entries.withLock { $0 } }

  /// Returns the last request with a record.
  func request(with uuid: UUID128) -> RawRequest? {
    let text = uuid.upperCaseText
    return entries.withLock { entries in
      entries.last { String(decoding: $0.request.readableBody, as: UTF8.self).firstRange(of: text) != nil }?.request
    }
  }

  /// Notes that the requests alone do not reproduce the result, because it depends on their order, their delays, or
  /// other stored data.
  func noteUnscriptable() { isUnscriptable.raise() }

  /// Notes that the clause controlled bytes and times, which no list of complete requests reproduces.
  func noteBytes() { hasPieces.raise() }

  /// Whether it did.
  var isInPieces: Bool { hasPieces.isRaised }

  /// The clause has sent nothing.
  var isEmpty: Bool { !isInPieces && entries.withLock { $0.isEmpty } }

  /// The time of the last answer; nil where the clause reads its answers itself.
  var lastAnswer: MonotonicInstant? { isInPieces ? nil : latest.withLock { $0 } }

  /// Notes the answer to the last request of a phone.
  func noteAnswer(_ status: Int, of phone: Int? = nil) {
    latest.withLock { $0 = clock.monotonicNow }
    entries.withLock { entries in
      if let index = entries.lastIndex(where: { $0.phone == phone && $0.kind == .sent }) {
        entries[index].status = status
      }
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

  /// The requests, if sending them again reproduces the result; nil if there are none, too many, or incomplete ones.
  var sequence: [Entry]? {
    let all = all.filter { $0.kind != .prepared }
    guard !all.isEmpty, !isInPieces, !isUnscriptable.isRaised, all.count <= SentLog.requestsMax,
      all.reduce(0, { $0 + $1.request.body.count }) <= SentLog.bytesMax
    else { return nil }
    return all
  }

  /// The requests as a scenario; nil where they have none.
  var asScenario: [UInt8]? {
    guard let entries = sequence, let first = entries.first,
      entries.allSatisfy({ $0.request.isPlain && $0.kind == .sent })
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
