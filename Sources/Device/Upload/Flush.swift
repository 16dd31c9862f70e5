import Base
import Contract
import Queue
import Vocabulary

/// An upload of the queue, from its trigger to the empty queue or the first failure.
struct Flush: Sendable {
  enum Stage: Sendable {
    /// A request with records is in flight.
    case uploading
    case refreshing(Refresh)
    /// Commands are being executed; then the next request follows, or the same one again.
    case pausedBeforeNextRequest
    case pausedBeforeResending
  }

  /// A refresh request in flight.
  struct Refresh: Sendable {
    /// The token to replace.
    let accessToken: String?
    /// Whether an upload was refused, rather than the token known to be expired.
    let followsRefusal: Bool
    /// The commands of the refused upload; they run after the refresh.
    let commands: ReceivedCommands?
  }

  let trigger: FlushTrigger
  let completion: UInt64?
  let beganAt: MonotonicInstant
  let queuedBefore: Int

  var stage = Stage.uploading
  var awaited: AwaitedRequest?
  /// A flush refreshes once (SDK §11.2, `max_refresh_retries=1`).
  var hasRefreshed = false
  /// The number of requests that succeeded; the log calls them pages.
  var requests = 0
  var synced = 0
  /// The rows of the current request.
  var rows = RequestRows()
  /// The rows of all requests; kept only if a caller waits for them.
  var uploaded: [QueuedRecord] = []
}

/// The pending request of a flush.
struct AwaitedRequest: Sendable {
  let id: UInt64
  /// The deadline of the watchdog.
  let deadline: MonotonicInstant
}

/// The rows of one request, locked in the queue.
struct RequestRows: Sendable {
  var ids: [Int64] = []
  var uuids: [UUID128] = []
  var isBatch = false
  var body: [UInt8] = []
  /// The number of earlier attempts.
  var retry = 0
  /// Whether the form of bodies has been configured again since this one was written.
  var isOutdated = false
}

/// The parts of the configuration that decide whether a flush begins, so that other triggers read no more than this.
struct UploadPolicy {
  enum Destination {
    /// No url: the HTTP service is off.
    case none
    /// A url that cannot be used.
    case unusable
    case usable
  }

  let destination: Destination
  let autoSync: Bool
  let defersOnCellular: Bool
  let isLogging: Bool
  /// The number of rows that an automatic flush waits for, at least 1.
  let threshold: Int

  init(_ configuration: Configuration) {
    let http = configuration.http
    destination = http.url.isEmpty ? .none : http.isUsable ? .usable : .unusable
    autoSync = http.autoSync
    defersOnCellular = http.disableAutoSyncOnCellular
    isLogging = configuration.logger.logLevel != .off
    threshold = max(1, http.autoSyncThreshold)
  }
}
