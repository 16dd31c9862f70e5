package import Base
package import Contract
package import Queue
package import Vocabulary

/// When to send, how much, what a status means, when to refresh the token (SDK §8 to §11). It knows no socket and
/// no clock: inputs and the time go in, effects come out. All rows that are locked in the queue are its own.
package struct Uploader: Sendable {
  package internal(set) var configuration: Configuration {
    didSet { form = nil }
  }
  /// What all uploads of this configuration have in common, once there was one.
  private var form: UploadForm?
  /// From when on a relative `authorization.expires` counts. To be kept over launches.
  package internal(set) var tokenSetAt: WallInstant
  /// The number of the next request. To be kept over launches where answers to an earlier one may still come.
  package internal(set) var nextRequestID: UInt64
  let userAgent: String
  private let clockFactor: Double
  package internal(set) var connectivity: Connectivity
  /// A flush has ended before the queue was empty, or was put off, and rows are left of it.
  var hasFailed: Bool
  var policy: UploadPolicy
  /// Inserts that begin no flush, after a failure of the network.
  var insertsToWait = 0
  /// To be kept over launches: whether rows wait for a retry, which then needs no threshold.
  package var isRetryDue: Bool { hasFailed && policy.threshold > 1 }
  private var work = Work.none
  var logUploads: [PendingLogUpload] = []

  /// In a box of its own: most uploaders are idle most of the time.
  private indirect enum Work: Sendable {
    case none
    case flush(Flush)
  }

  /// The flush that is running.
  var flush: Flush? {
    get { if case .flush(let flush) = work { flush } else { nil } }
    set { work = newValue.map { .flush($0) } ?? .none }
  }

  /// A log whose answer is awaited.
  struct PendingLogUpload: Sendable {
    let request: UInt64
    let completion: UInt64
  }

  /// `userAgent` is a header of every request. `clockFactor` tells how many seconds the device's clock makes in one of the
  /// network, whose time limits are its own.
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

  /// Whether a flush is running: its rows are locked.
  package var isBusy: Bool {
    if case .flush = work { true } else { false }
  }

  /// Give `timersDue` then, or later.
  package var nextDeadline: MonotonicInstant? { flush?.awaited?.deadline }

  /// Appends to `effects` what is to be done. An answer to no request, or to one that was given up, changes nothing.
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

  /// Queued rows go with what is configured when they are sent (SDK §7.2).
  private mutating func configure(_ new: Configuration, _ now: Moment) {
    let isSameToken =
      new.authorization.accessToken == configuration.authorization.accessToken
      && new.authorization.expires == configuration.authorization.expires
    if !isSameToken { tokenSetAt = now.wall }
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
    case .pausedBeforeNextPage: sendNextPage(of: flush, now, &queue, &effects)
    case .pausedBeforeResending: renewPage(of: flush, now, &queue, &effects)
    }
  }

  /// A request with this time limit, and the watchdog that is armed for it, in the network's time.
  mutating func awaitedRequest(timeout: Nanoseconds, _ now: Moment) -> AwaitedRequest {
    let span = timeout + UploadRules.watchdogGrace
    let deadline = now.monotonic + (clockFactor == 1 ? span : Nanoseconds(Int64(Double(span.count) * clockFactor)))
    return AwaitedRequest(id: takeRequestID(), deadline: deadline)
  }

  /// Gives up a request that the transport has not ended, as one without an answer. The answer may still come, and is
  /// stale; the rows go out again (SDK §9.2).
  private mutating func watch(_ now: Moment, _ queue: inout some RecordQueue, _ effects: inout [UploadEffect]) {
    guard let flush, let awaited = flush.awaited, awaited.deadline <= now.monotonic else { return }
    log(.watchdogFired(locked: flush.page.ids.count, isBatch: flush.page.isBatch), &effects)
    take(.failed(.timeout, message: "timeout"), of: awaited.id, now, &queue, &effects)
  }

  /// The entry is made only when the log takes any.
  func log(_ entry: @autoclosure () -> LogEntry, _ effects: inout [UploadEffect]) {
    if policy.isLogging { effects.append(.log(entry())) }
  }
}

/// What happens to an uploader.
package enum UploadInput: Sendable {
  /// `manual` is a sync without a waiting caller.
  case trigger(FlushTrigger)
  /// `sync()`. The number comes back in the effect `synced`.
  case sync(completion: UInt64)
  case answered(request: UInt64, RequestOutcome)
  /// Begins no flush by itself: that is a trigger.
  case connectivity(Connectivity)
  /// The configuration as it is now. Begins no flush either.
  case configuration(Configuration)
  /// Everything before the effect `proceed` has been done.
  case proceed
  case timersDue
  /// The number comes back in the effect `logUploaded`.
  case uploadLog(LogUpload, completion: UInt64)
}

/// What an uploader wants done, in this order.
package enum UploadEffect: Equatable, Sendable {
  case send(OutgoingRequest)
  case http(HTTPEvent)
  indirect case authorization(AuthorizationEvent)
  indirect case commands(ReceivedCommands)
  /// Give `UploadInput.proceed` back when what stands before is done: the next request is made after the commands.
  case proceed
  /// To be stored in the configuration. The uploader uses them already.
  indirect case tokens(RefreshedTokens)
  /// The rows that were handed out or uploaded.
  indirect case synced(completion: UInt64, Result<[QueuedRecord], SyncError>)
  /// The records that a sync without a url has taken out of the queue.
  case discarded([UUID128])
  /// `status` is 0 when no answer came.
  case logUploaded(completion: UInt64, isSuccess: Bool, status: Int)
  case log(LogEntry)
}

/// Why `sync()` failed: the SDK's TSHttpServiceError, and the device's own store (SDK §4.6).
package enum SyncError: Int, Error, CaseIterable, Sendable {
  /// `http.url` is no url to upload to.
  case invalidURL = 1
  /// No network, or no answer.
  case networkConnection = 2
  /// A flush was running already; it takes these records along.
  case inProgress = 3
  /// An answer that is no success.
  case response = 4
  case redirect = 5
  /// The store cannot be read or written.
  case store = -1

  init(status: Int) {
    self = status == 0 ? .networkConnection : 300..<400 ~= status ? .redirect : .response
  }
}

/// The numbers of the upload cycle.
enum UploadRules {
  /// How long after the time limit of one request a flush that nothing has ended is given up (SDK §9.2).
  static let watchdogGrace = Nanoseconds.seconds(5)
  /// How many records are inserted after a failure of the network before an insert begins a flush again (SDK §9.3).
  static let backOffRecords = 10
  /// In place of a time limit that is none.
  static let defaultTimeout = Nanoseconds.seconds(60)
  static let greatestTimeout = Nanoseconds.seconds(86_400)

  /// `http.timeout`, which may be any number.
  static func timeout(milliseconds: Double) -> Nanoseconds {
    guard milliseconds >= 1 else { return defaultTimeout }
    return milliseconds < greatestTimeout.seconds * 1_000 ? .milliseconds(Int64(milliseconds)) : greatestTimeout
  }
}
