import AnswerCheck
import Base
import Contract
import Formats
import Synchronization
import Threads
import Upload

/// What one clause has done: its requests, to be repeated if all of them were complete, and the restarts of the backend.
final class SentLog: Sendable {
  enum Step {
    case request(Sending)
    /// The backend was restarted, with this signal.
    case restart(String)

    var sending: Sending? { if case .request(let sending) = self { sending } else { nil } }
  }

  struct Sending {
    let at: MonotonicInstant
    let phone: Int?
    /// Empty where it is none's.
    let device: String
    let request: RawRequest
    let kind: Kind
    var status = 0
  }

  enum Kind {
    case sent
    /// It was sent in pieces or in another form, or not at all.
    case prepared
    /// It queues commands at the backend.
    case queueing
    /// It creates the device at the backend.
    case creating

    /// Where its secret fields are taken from.
    var secrets: SecretPurpose? {
      switch self {
      case .queueing: .commands
      case .creating: .devices
      case .sent, .prepared: nil
      }
    }
  }

  private struct State {
    var steps: [Step] = []
    /// The uuids of the records.
    var uuids: Set<UUID128> = []
    var names: [Int: String] = [:]
    var hasBatches = false
    var isInPieces = false
    var isUnscriptable = false
    var lastAnswer: MonotonicInstant?
    /// The last rejection of each phone, if its upload did not succeed later.
    var throttling: [Int: Throttling] = [:]
  }

  private let state = Mutex(State())
  private let clock = SystemClock()
  /// More would not be a readable reproduction.
  private static let (requestsMax, bytesMax) = (200, 4 << 20)

  /// Notes the name of a phone.
  func introduce(_ name: String, as number: Int) { state.withLock { $0.names[number] = name } }

  /// Notes the uuid of a record.
  func note(uuid: UUID128) { state.withLock { _ = $0.uuids.insert(uuid) } }

  var uuids: Set<UUID128> { state.withLock { $0.uuids } }

  func note(_ request: OutgoingRequest, of phone: Int, _ kind: Kind = .sent) {
    if request.payload.map({ $0.uuids.count > 1 }) ?? false { state.withLock { $0.hasBatches = true } }
    note(RawRequest(request), of: phone, kind)
  }

  /// Whether records were sent in batches.
  var hasBatches: Bool { state.withLock { $0.hasBatches } }

  func note(_ request: RawRequest, of phone: Int? = nil, _ kind: Kind = .sent) {
    state.withLock { state in
      let device = phone.flatMap { state.names[$0] } ?? ""
      state.steps.append(
        .request(Sending(at: clock.monotonicNow, phone: phone, device: device, request: request, kind: kind)))
    }
  }

  /// Notes the creation of a device.
  func note(_ creation: RawRequest, of device: String) {
    state.withLock { state in
      state.steps.append(
        .request(Sending(at: clock.monotonicNow, phone: nil, device: device, request: creation, kind: .creating)))
    }
  }

  func note(restart signal: String) { state.withLock { $0.steps.append(.restart(signal)) } }

  /// All steps, up to now.
  var steps: [Step] { state.withLock { $0.steps } }

  /// Returns the last request with a record.
  func request(with uuid: UUID128) -> RawRequest? {
    steps.reversed().lazy.compactMap(\.sending?.request).first { request in
      let body = String(decoding: request.readableBody, as: UTF8.self)
      return [uuid.upperCaseText, uuid.text].contains { body.firstRange(of: $0) != nil }
    }
  }

  /// Notes that the requests alone do not reproduce the result, because it depends on their order, their delays, or
  /// other stored data.
  func noteUnscriptable() { state.withLock { $0.isUnscriptable = true } }

  /// Notes that the clause controlled bytes and times, which no list of complete requests reproduces.
  func noteBytes() { state.withLock { $0.isInPieces = true } }

  /// Whether it did.
  var isInPieces: Bool { state.withLock { $0.isInPieces } }

  /// The clause has sent nothing.
  var isEmpty: Bool {
    state.withLock { !$0.isInPieces && $0.steps.allSatisfy { [nil, .creating].contains($0.sending?.kind) } }
  }

  /// The time of the last answer; nil where the clause reads its answers itself.
  var lastAnswer: MonotonicInstant? { state.withLock { $0.isInPieces ? nil : $0.lastAnswer } }

  /// Notes the answer to the last request of a phone.
  func noteAnswer(_ status: Int, of phone: Int? = nil) {
    state.withLock { state in
      state.lastAnswer = clock.monotonicNow
      for index in state.steps.indices.reversed() {
        guard case .request(var sending) = state.steps[index], sending.phone == phone, sending.kind == .sent else {
          continue
        }
        sending.status = status
        state.steps[index] = .request(sending)
        return
      }
    }
  }

  /// An upload that a busy backend rejected and that did not succeed later.
  struct Throttling: Sendable {
    let status: Int
    /// The time to wait.
    let milliseconds: Int
  }

  var throttling: Throttling? {
    state.withLock { $0.throttling.values.max { $0.milliseconds < $1.milliseconds } }
  }

  /// Notes a rejection. For a phone the last answer counts; an answer on a separate connection is not repeated.
  func noteThrottling(_ status: Int, _ head: AnswerHead, of phone: Int? = nil) {
    state.withLock { state in
      if RateLimit.isThrottling(status) {
        let wait = min(max(SentLog.wait(head), 300), SentLog.waitMax)
        state.throttling[phone ?? -1] = Throttling(status: status, milliseconds: wait)
      } else if let phone {
        state.throttling[phone] = nil
      }
    }
  }

  private static let waitMax = 2_000

  /// Returns the milliseconds of a Retry-After; 0 for none, or for more than an hour, which no run has.
  static func wait(_ head: AnswerHead) -> Int {
    RateLimit.delay(head, at: SystemClock().wallNow).flatMap { $0 <= 3_600_000 ? Int($0) : nil } ?? 0
  }

  /// The steps, if taking them again reproduces the result; nil if they have no request, too many, or incomplete ones.
  var sequence: [Step]? {
    let (steps, isReproducible) = state.withLock { ($0.steps, !$0.isInPieces && !$0.isUnscriptable) }
    let taken = steps.filter { $0.sending?.kind != .prepared }
    let requests = taken.compactMap(\.sending?.request)
    guard isReproducible, 1...SentLog.requestsMax ~= requests.count,
      requests.reduce(0, { $0 + $1.body.count }) <= SentLog.bytesMax
    else { return nil }
    return taken
  }

  /// Returns the requests as a scenario, which takes secret fields from variables; nil where it has none, or more than requests.
  func scenario(takingSecretsOf purpose: SecretPurpose) -> [UInt8]? {
    // The backend has the devices.
    guard let steps = sequence?.filter({ $0.sending?.kind != .creating }) else { return nil }
    let sendings = steps.compactMap(\.sending)
    guard sendings.count == steps.count, let first = sendings.first,
      sendings.allSatisfy({ $0.request.isPlain && $0.kind == .sent })
    else { return nil }
    var bytes: [UInt8] = []
    for sending in sendings {
      if !bytes.isEmpty { bytes += RequestScenario.separator }
      RequestScenario.append(
        at: (sending.at - first.at).wholeMilliseconds, device: sending.device, method: sending.request.method,
        path: TargetAddress(sending.request.url)?.path ?? "/", headers: sending.request.headers,
        body: sending.request.body,
        status: sending.status, variable: purpose.variable, to: &bytes)
    }
    return bytes
  }
}
