package import Base

/// The figures of a sink since the start of the server.
package struct ForwardFigures: Equatable, Sendable {
  package let name: String
  package let place: String
  /// Whether this server forwards to it, and no other that shares its store.
  package var leads = false
  /// Records acknowledged by the sink.
  package var sent: UInt64 = 0
  /// Failed attempts that are retried.
  package var retried: UInt64 = 0
  /// Records refused permanently.
  package var refused: UInt64 = 0
  /// Records deleted by `retainBytes` before they were forwarded.
  package var lost: Int64 = 0
  /// The approximate number of records that are not forwarded yet.
  package var lag: Int64 = 0
  /// Age of the oldest record that is not forwarded yet.
  package var lagMilliseconds: Int64 = 0
  /// Why the sink accepts nothing; nil while it does.
  package var trouble: String?

  init(name: String, place: String) { (self.name, self.place) = (name, place) }

  mutating func take(_ progress: ForwardProgress) {
    (sent, retried, refused, trouble) = (progress.sent, progress.retried, progress.refused, progress.trouble)
  }
}

/// A log message about a sink.
package enum SinkNotice: Equatable, Sendable {
  /// It has accepted nothing for a while.
  case stuck(reason: String)
  case resumed(after: Nanoseconds, lag: Int64)
  /// The number of records refused permanently since the last such notice.
  case refused(Int, reason: String)
  /// The total number of records deleted before they were forwarded.
  case lost(Int64)
}

/// Limits the notices: short troubles are not reported, and frequent events are counted.
struct SinkAccount {
  private static let patience = Nanoseconds.seconds(10)
  private static let quiet = Nanoseconds.seconds(60)

  private var troubleSince: MonotonicInstant?
  private var isTold = false
  private var refused: UInt64 = 0
  private var refusedTold: MonotonicInstant?
  private var lost: Int64 = 0
  private var lostTold: MonotonicInstant?

  /// `isLast`: no later notice can count what is not told now.
  mutating func note(
    _ progress: ForwardProgress, lost: Int64, lag: () -> Int64, now: MonotonicInstant, isLast: Bool = false
  ) -> [SinkNotice] {
    func isTime(since told: MonotonicInstant?) -> Bool {
      isLast || told.map { now - $0 >= SinkAccount.quiet } ?? true
    }
    var notices: [SinkNotice] = []
    if let reason = progress.trouble, let since = progress.troubleSince {
      troubleSince = since
      if !isTold, now - since >= SinkAccount.patience {
        isTold = true
        notices.append(.stuck(reason: reason))
      }
    } else if let since = troubleSince {
      if isTold { notices.append(.resumed(after: now - since, lag: lag())) }
      (troubleSince, isTold) = (nil, false)
    }
    if progress.refused > refused, let reason = progress.refusalReason, isTime(since: refusedTold) {
      notices.append(.refused(Int(progress.refused - refused), reason: reason))
      (refused, refusedTold) = (progress.refused, now)
    }
    if lost > self.lost, isTime(since: lostTold) {
      notices.append(.lost(lost))
      (self.lost, lostTold) = (lost, now)
    }
    return notices
  }
}
