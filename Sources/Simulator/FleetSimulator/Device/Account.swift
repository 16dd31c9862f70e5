import Base
import Contract
import Host
import Upload
import Vocabulary

/// How an app stands with a server that wants tokens.
struct Account {
  /// When it registers; nil: it has tokens, or is asking for them.
  var nextAttempt: MonotonicInstant?
  var attempts: UInt64 = 0

  static let retryInterval = Nanoseconds.seconds(15)
  /// The app's own requests are counted from here, beyond all of the SDK's.
  static let firstRequest: UInt64 = 1 << 62
}
