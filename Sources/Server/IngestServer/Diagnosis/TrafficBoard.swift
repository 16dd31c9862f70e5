import Base
import Contract
import JSON
import Store
import Synchronization

/// Statistics of device requests since the server started, in memory: counts by run, errors by name, and the devices whose last
/// request failed. Everything is bounded; while nothing fails, a request outside of runs costs one addition.
final class TrafficBoard: Sendable {
  static let runsMax = 4_096
  static let errorsMax = 512
  static let failingMax = 32_768

  struct RunCounts: Sendable {
    var requests: UInt64 = 0
    /// Requests not answered with 2xx.
    var failed: UInt64 = 0
    /// Requests with an injected fault.
    var faulted: UInt64 = 0
    var lastAt: WallInstant?
  }

  /// The key of errors that differ only in device and time.
  struct ErrorName: Hashable, Sendable {
    let run: ExactText
    let status: Int
    /// The kind of the injected fault.
    let fault: String?
    /// The error code in the body, for programs.
    let code: String?
  }

  struct ErrorCount: Sendable {
    let name: ErrorName
    /// The message of the first answer; empty when it had none.
    let message: String
    let firstAt: WallInstant
    var lastAt: WallInstant
    var count = 0
    /// The last device that got it; empty when it named none.
    var device = ""
  }

  /// The last request of a failing device.
  struct Failure: Sendable {
    let status: Int
    let fault: ServerFault.Kind?
    /// The time of the first of the consecutive failures.
    let since: WallInstant
    let at: WallInstant
    /// The number of consecutive failures.
    let count: Int
  }

  fileprivate struct State {
    var runs: [ExactText: RunCounts] = [:]
    var errors: [ErrorName: ErrorCount] = [:]
    var failing: [DeviceIdentity: Failure] = [:]
  }

  private let state = Mutex(State())
  private let hasFailing = Atomic(false)
  /// Successful requests without a run, counted without a lock.
  private let plain = Counter()

  /// Called when a request of a device, or for an unserved path, was answered.
  func note(_ exchange: Exchange, _ response: Response) {
    guard exchange.route.deviceOperation != nil || exchange.unservedPath != nil else { return }
    let isFailure = response.status >= 300 || exchange.faultName != nil
    if !isFailure, exchange.run.isEmpty, !hasFailing.load(ordering: .relaxed) { return plain.add() }
    // The stored texts are short, whatever a client sends.
    let longest = DeviceIdentity.nameBytesMax
    let device = DeviceIdentity(
      run: exchange.run.prefix(bytes: longest), name: exchange.device.prefix(bytes: longest))
    state.withLock { state in
      state.count(device.run, exchange, isFailed: response.status >= 300)
      if isFailure { state.name(exchange, response, of: device) }
      guard exchange.route.deviceOperation != nil, !device.name.isEmpty else { return }
      state.judge(device, exchange, response, isFailure: isFailure)
      hasFailing.store(!state.failing.isEmpty, ordering: .relaxed)
    }
  }

  func forget(_ device: DeviceIdentity) { state.withLock { $0.failing[device] = nil } }

  /// Deletes the entries of a run, or all.
  func clear(run: String?) {
    if run == nil || run == "" { plain.reset() }
    state.withLock { state in
      guard let run else { return state = State() }
      state.runs[ExactText(run)] = nil
      state.errors = state.errors.filter { !$0.key.run.text.isExactly(run) }
      state.failing = state.failing.filter { !$0.key.run.isExactly(run) }
    }
  }

  func failure(of device: DeviceIdentity) -> Failure? {
    hasFailing.load(ordering: .relaxed) ? state.withLock { $0.failing[device] } : nil
  }

  /// Returns the failures of one run, or of all, ordered by run and name.
  func failures(run: String?) -> [(device: DeviceIdentity, failure: Failure)] {
    let failing = state.withLock { $0.failing }
    return failing.filter { run == nil || $0.key.run.isExactly(run) }
      .sorted { ($0.key.run, $0.key.name) < ($1.key.run, $1.key.name) }.map { ($0.key, $0.value) }
  }

  /// Returns the errors of one run, or of all, the most frequent first.
  func errors(run: String?) -> [ErrorCount] {
    let errors = state.withLock { $0.errors.values.filter { run == nil || $0.name.run.text.isExactly(run) } }
    return errors.sorted { one, other in
      if one.count != other.count { return one.count > other.count }
      return (one.name.run.text, one.name.status, one.name.fault ?? "", one.name.code ?? "")
        < (other.name.run.text, other.name.status, other.name.fault ?? "", other.name.code ?? "")
    }
  }

  func runs() -> [ExactText: RunCounts] {
    var runs = state.withLock { $0.runs }
    let plain = plain.value
    if plain > 0 { runs[ExactText(""), default: RunCounts()].requests += plain }
    return runs
  }
}

extension TrafficBoard.State {
  fileprivate mutating func count(_ name: String, _ exchange: Exchange, isFailed: Bool) {
    let run = ExactText(name)
    if runs[run] == nil, runs.count >= TrafficBoard.runsMax { runs.keepHalf { $0.isLater(than: $1) } }
    var counts = runs[run] ?? TrafficBoard.RunCounts()
    counts.requests += 1
    if isFailed { counts.failed += 1 }
    if exchange.faultName != nil { counts.faulted += 1 }
    counts.lastAt = max(counts.lastAt ?? exchange.receivedAt, exchange.receivedAt)
    runs[run] = counts
  }

  fileprivate mutating func name(_ exchange: Exchange, _ response: Response, of device: DeviceIdentity) {
    let name = TrafficBoard.ErrorName(
      run: ExactText(device.run), status: response.status, fault: exchange.faultName, code: response.code)
    if errors[name] == nil, errors.count >= TrafficBoard.errorsMax { errors.keepHalf { $0.lastAt > $1.lastAt } }
    let instant = exchange.receivedAt
    var error =
      errors[name]
      ?? TrafficBoard.ErrorCount(name: name, message: response.message, firstAt: instant, lastAt: instant)
    error.count += 1
    error.lastAt = max(error.lastAt, instant)
    error.device = device.name
    errors[name] = error
  }

  fileprivate mutating func judge(
    _ device: DeviceIdentity, _ exchange: Exchange, _ response: Response, isFailure: Bool
  ) {
    guard isFailure else { return failing[device] = nil }
    let before = failing[device]
    if before == nil, failing.count >= TrafficBoard.failingMax { failing.keepHalf { $0.at > $1.at } }
    failing[device] = TrafficBoard.Failure(
      status: response.status, fault: exchange.fault?.fault.kind, since: before?.since ?? exchange.receivedAt,
      at: max(before?.at ?? exchange.receivedAt, exchange.receivedAt), count: (before?.count ?? 0) + 1)
  }
}

extension TrafficBoard.RunCounts {
  fileprivate func isLater(than other: Self) -> Bool {
    guard let lastAt, let otherAt = other.lastAt else { return lastAt != nil }
    return lastAt > otherAt
  }
}

extension Response {
  private static let messageMax = 200

  /// The error message in the body; empty when it has none.
  fileprivate var message: String {
    guard code != nil, case .string(let text)? = parsed?["error"]?["message"] else { return "" }
    return text.prefix(bytes: Self.messageMax)
  }

  private var parsed: JSONValue? {
    do { return try JSONValue(parsing: body.span) } catch { return nil }
  }
}
