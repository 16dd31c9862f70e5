package import Base
package import Contract
package import Queue
package import Vocabulary

/// The upload cycle: when to send, how much, the meaning of a status, token refresh (SDK §8 to §11). It uses no socket
/// and no clock: inputs and the time go in, effects come out. It owns all locked rows of the queue.
package struct Uploader: Sendable {
  package internal(set) var configuration: Configuration {
    didSet { form = nil }
  }
  /// The common parts of all uploads with this configuration, after the first one.
  private var form: UploadForm?
  /// The start of a relative `authorization.expires`. Must be kept over launches.
  package internal(set) var tokenSetAt: WallInstant
  /// The number of the next request. Must be kept over launches where answers to an earlier one may still arrive.
  package internal(set) var nextRequestID: UInt64
  let userAgent: String
  private let clockFactor: Double
  package internal(set) var connectivity: Connectivity
  /// Whether a flush ended before the queue was empty, or was deferred, and rows of it are left.
  var hasFailed: Bool
  var policy: UploadPolicy
  /// The number of inserts that begin no flush after a network failure.
  var insertsToWait = 0
  /// Whether rows wait for a retry, which ignores the threshold. Must be kept over launches.
  package var isRetryDue: Bool { hasFailed && policy.threshold > 1 }
  private var work = Work.none
  var logUploads: [PendingLogUpload] = []

  /// Indirect, because most uploaders are idle most of the time.
  private indirect enum Work: Sendable {
    case none
    case flush(Flush)
  }

  /// The running flush.
  var flush: Flush? {
    get { if case .flush(let flush) = work { flush } else { nil } }
    set { work = newValue.map { .flush($0) } ?? .none }
  }

  /// A log upload in flight.
  struct PendingLogUpload: Sendable {
    let request: UInt64
    let completion: UInt64
  }

  /// `userAgent` is a header of every request. `clockFactor` is the number of seconds on the device's clock in a second
  /// of the network, to which timeouts apply.
  package init(
    configuration: Configuration, connectivity: Connectivity, userAgent: String, tokenSetAt: WallInstant,
    isRetryDue: Bool = false, nextRequestID: UInt64 = 1, clockFactor: Double = 1
  ) {
    self.configuration = configuration
    self.connectivity = connectivity
    self.userAgent = userAgent
    self.tokenSetAt = tokenSetAt
    hasFailed = isRetryDue
    self.nextRequestID = nextRequestID
    self.clockFactor = clockFactor
    policy = UploadPolicy(configuration)
  }

  /// Whether a flush is running, and its rows are locked.
  package var isBusy: Bool {
    if case .flush = work { true } else { false }
  }

  /// The instant from which `timersDue` is expected.
  package var nextDeadline: MonotonicInstant? { flush?.awaited?.deadline }

  /// Appends the consequences to `effects`. An answer to an unknown or abandoned request changes nothing.
  package mutating func receive(
    _ input: UploadInput, at now: Moment, queue: inout some RecordQueue, into effects: inout [UploadEffect]
  ) {
    switch input {
    case .trigger(let trigger): begin(trigger, completion: nil, now, &queue, &effects)
    case .sync(let completion): begin(.manual, completion: completion, now, &queue, &effects)
    case .answered(let request, let outcome): take(outcome, of: request, now, &queue, &effects)
    case .connectivity(let new):
      if new != connectivity { insertsToWait = 0 }
      connectivity = new
    case .configuration(let new): configure(new, now)
    case .proceed: proceed(now, &queue, &effects)
    case .timersDue: watch(now, &queue, &effects)
    case .uploadLog(let upload, let completion): send(upload, completion, &effects)
    }
  }

  /// Queued rows are sent with the configuration at the time of sending (SDK §7.2).
  private mutating func configure(_ new: Configuration, _ now: Moment) {
    let isSameToken =
      new.authorization.accessToken == configuration.authorization.accessToken
      && new.authorization.expires == configuration.authorization.expires
    if !isSameToken { tokenSetAt = now.wall }
    if isBusy && !new.http.writesBodies(like: configuration.http) { flush?.rows.isOutdated = true }
    configuration = new
    policy = UploadPolicy(new)
  }

  mutating func uploadForm() -> UploadForm {
    if let form { return form }
    let form = UploadForm(configuration, userAgent: userAgent)
    self.form = form
    return form
  }

  private mutating func proceed(_ now: Moment, _ queue: inout some RecordQueue, _ effects: inout [UploadEffect]) {
    guard let flush else { return }
    switch flush.stage {
    case .uploading, .refreshing: break
    case .pausedBeforeNextRequest: sendNextRequest(of: flush, now, &queue, &effects)
    case .pausedBeforeResending: renewRequest(of: flush, now, &queue, &effects)
    }
  }

  /// Returns the request to await, with this timeout and its watchdog, in the network's time.
  mutating func awaitedRequest(timeout: Nanoseconds, _ now: Moment) -> AwaitedRequest {
    let span = timeout + UploadRules.watchdogGrace
    let deadline = now.monotonic + (clockFactor == 1 ? span : Nanoseconds(Int64(Double(span.count) * clockFactor)))
    return AwaitedRequest(id: takeRequestID(), deadline: deadline)
  }

  /// Abandons a request that the transport has not ended, as if there were no answer. A late answer is ignored; the
  /// rows are sent again (SDK §9.2).
  private mutating func watch(_ now: Moment, _ queue: inout some RecordQueue, _ effects: inout [UploadEffect]) {
    guard let flush, let awaited = flush.awaited, awaited.deadline <= now.monotonic else { return }
    log(.watchdogFired(locked: flush.rows.ids.count, isBatch: flush.rows.isBatch), &effects)
    take(.failed(.timeout, message: "timeout"), of: awaited.id, now, &queue, &effects)
  }

  /// The entry is evaluated only if the log is on.
  func log(_ entry: @autoclosure () -> LogEntry, _ effects: inout [UploadEffect]) {
    if policy.isLogging { effects.append(.log(entry())) }
  }
}

extension HTTPSettings {
  /// Reports whether the same rows make the same bodies.
  fileprivate func writesBodies(like other: HTTPSettings) -> Bool {
    params == other.params && rootProperty == other.rootProperty && batchSync == other.batchSync
      && maxBatchSize == other.maxBatchSize
  }
}

/// An input of an uploader.
package enum UploadInput: Sendable {
  /// `manual` is a sync without a waiting caller.
  case trigger(FlushTrigger)
  /// `sync()`. The number comes back in the effect `synced`.
  case sync(completion: UInt64)
  case answered(request: UInt64, RequestOutcome)
  /// Begins no flush by itself; that needs a trigger.
  case connectivity(Connectivity)
  /// The current configuration. Begins no flush either.
  case configuration(Configuration)
  /// All effects before `proceed` have been performed.
  case proceed
  case timersDue
  /// The number comes back in the effect `logUploaded`.
  case uploadLog(LogUpload, completion: UInt64)
}

/// The effects of an uploader, in order.
package enum UploadEffect: Equatable, Sendable {
  case send(OutgoingRequest)
  case http(HTTPEvent)
  indirect case authorization(AuthorizationEvent)
  indirect case commands(ReceivedCommands)
  /// Answer with `UploadInput.proceed` after the preceding effects: the next request is built after the commands.
  case proceed
  /// Tokens to store in the configuration. The uploader uses them already.
  indirect case tokens(RefreshedTokens)
  /// The rows that were returned to the app or uploaded.
  indirect case synced(completion: UInt64, Result<[QueuedRecord], SyncError>)
  /// The records that a sync without a url has removed from the queue.
  case discarded([UUID128])
  /// `status` is 0 without an answer.
  case logUploaded(completion: UInt64, isSuccess: Bool, status: Int)
  case log(LogEntry)
}

/// The reason why `sync()` failed: the SDK's TSHttpServiceError, and the device's own store (SDK §4.6).
package enum SyncError: Int, Error, CaseIterable, Sendable {
  /// `http.url` cannot be used for uploads.
  case invalidURL = 1
  /// No network, or no answer.
  case networkConnection = 2
  /// A flush is running already and includes these records.
  case inProgress = 3
  /// An answer without success.
  case response = 4
  case redirect = 5
  /// The store cannot be read or written.
  case store = -1

  init(status: Int) {
    self = status == 0 ? .networkConnection : 300..<400 ~= status ? .redirect : .response
  }
}

/// The constants of the upload cycle.
enum UploadRules {
  /// The time after a request's timeout at which a stuck flush is abandoned (SDK §9.2).
  static let watchdogGrace = Nanoseconds.seconds(5)
  /// The number of inserts after a network failure before an insert begins a flush again (SDK §9.3).
  static let backOffRecords = 10
  /// Replaces an invalid timeout.
  static let defaultTimeout = Nanoseconds.seconds(60)
  static let greatestTimeout = Nanoseconds.seconds(86_400)

  /// `http.timeout`, which may be any number.
  static func timeout(milliseconds: Double) -> Nanoseconds {
    guard milliseconds >= 1 else { return defaultTimeout }
    return milliseconds < greatestTimeout.seconds * 1_000 ? .milliseconds(Int64(milliseconds)) : greatestTimeout
  }
}
