import Base
import Contract
import Queue
import Vocabulary

/// One draining of the queue, from its trigger to the empty queue or the first failure.
struct Flush: Sendable {
  enum Stage: Sendable {
    /// A request with records is on its way.
    case uploading
    case refreshing(Refresh)
    /// Commands are being carried out; then the next page, or the same one again.
    case pausedBeforeNextPage
    case pausedBeforeResending
  }

  /// A refresh request on its way.
  struct Refresh: Sendable {
    /// The token that it is to replace.
    let accessToken: String?
    /// Whether an upload was refused before, rather than the token known to be old.
    let followsRefusal: Bool
    /// What the refused upload brought along; they run after the refresh.
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
  var pages = 0
  var synced = 0
  var page = RequestRows()
  /// Every row that was uploaded; kept only if a caller waits for them.
  var rows: [QueuedRecord] = []
}

/// The request whose answer a flush waits for.
struct AwaitedRequest: Sendable {
  let id: UInt64
  /// When the watchdog gives it up.
  let deadline: MonotonicInstant
}

/// The rows of one request, locked in the queue.
struct RequestRows: Sendable {
  var ids: [Int64] = []
  var uuids: [UUID128] = []
  var isBatch = false
  var body: [UInt8] = []
  /// How often it was sent before.
  var retry = 0
}

/// What of the configuration decides whether a flush begins, so that a trigger that begins none reads no more than this.
struct UploadPolicy {
  enum Destination {
    /// No url: the HTTP service is off.
    case none
    /// A url to which nothing can be sent.
    case unusable
    case usable
  }

  let destination: Destination
  let autoSync: Bool
  let defersOnCellular: Bool
  let isLogging: Bool
  /// Rows that an automatic flush waits for, at least 1.
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
