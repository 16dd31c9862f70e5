import Contract
import DeviceLog
import Vocabulary

/// When the replayed engine's uploads begin: the rule of the SDK (§8.5), for the records that the engine has made and the
/// network that the log shows.
struct ReplayedUploads {
  /// Records that no upload has taken.
  private var waiting = 0
  /// Of the last upload, the records that no request has, and those of the request under way.
  private var (begun, locked) = (0, 0)
  /// Whether an upload has failed, or could not begin: the next one does not wait for the threshold (§8.5.3).
  private var hasFailed = false
  private var isConnected = true

  mutating func take(_ content: LogFact.Content) {
    switch content {
    case .connectivity(let connectivity): isConnected = connectivity.isConnected
    case .locked(_, let count): lock(count)
    case .response(let status) where (200..<300).contains(status): locked = 0
    case .response, .unlocked: fail()
    default: break
    }
  }

  /// An upload goes on until the queue is empty: it takes records that come meanwhile, too.
  private mutating func lock(_ count: Int) {
    let late = max(0, count - begun)
    begun -= count - late
    waiting = max(0, waiting - late)
    locked += count
  }

  private mutating func fail() {
    hasFailed = true
    waiting += begun + locked
    (begun, locked) = (0, 0)
  }

  mutating func insert() { waiting += 1 }

  /// Reports whether a flush has something to send, and may send it.
  mutating func begins(_ trigger: FlushTrigger, _ http: HTTPSettings) -> Bool {
    guard waiting > 0, http.autoSync || trigger == .manual else { return false }
    let threshold = max(1, http.autoSyncThreshold)
    let isOwed = trigger == .manual || trigger == .motionChange
    guard isConnected else {
      hasFailed = hasFailed || isOwed
      return false
    }
    guard isOwed || waiting >= threshold || hasFailed && trigger.isRetry else { return false }
    (begun, waiting, locked, hasFailed) = (waiting, 0, 0, false)
    return true
  }
}
