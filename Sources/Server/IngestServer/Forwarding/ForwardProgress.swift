import Base
import Store

/// Decides which records are forwarded next, and what a sink's answer means. A value without clock or threads.
struct ForwardProgress {
  /// The pause before the second attempt, doubled before each further one.
  static let firstPause = Nanoseconds.milliseconds(500)
  static let longestPause = Nanoseconds.seconds(60)
  /// The longest pause that a sink may request.
  static let longestWish = Nanoseconds.seconds(3_600)
  /// The number of consecutive refusals after which the cause is not the records: the sink is retried later. They are counted
  /// over restarts and changes of the leader: otherwise as many would be skipped after each of them.
  static let refusedInRowMax = 16

  let portionMax: Int
  /// The position after everything acknowledged or refused.
  private(set) var position: SinkPosition
  /// Refusals that are not in the store yet.
  private(set) var refusals: [SinkRefusal] = []
  private(set) var sent: UInt64 = 0
  private(set) var retried: UInt64 = 0
  private(set) var refused: UInt64 = 0
  /// The counts of the store and since then.
  private(set) var refusalCount: RefusalCount
  /// The reason of the last refusal.
  private(set) var refusalReason: String?
  /// Why the sink accepts nothing; nil while it does.
  private(set) var trouble: String?
  /// When the first request began that it has not taken; nil while it takes some.
  private(set) var troubleSince: MonotonicInstant?
  /// The time before which nothing is sent.
  private(set) var pausesUntil: MonotonicInstant?

  private var waiting: ArraySlice<ForwardMessage> = []
  private var end = SinkPosition()
  private var portion: Int
  /// How many were sent last and are to be sent again; nil: none. A sink that has taken them, and whose answer was lost, knows the
  /// same request by its key, and not one with more records.
  private var tried: Int?
  private var failures = 0

  init(at position: SinkPosition, _ refusalCount: RefusalCount = RefusalCount(), portionMax: Int) {
    (self.position, self.refusalCount, self.portionMax) = (position, refusalCount, portionMax)
    portion = portionMax
  }

  /// Whether everything that was read has been forwarded.
  var isEmpty: Bool { waiting.isEmpty }
  /// The messages to send now, as one batch.
  var next: ArraySlice<ForwardMessage> { waiting.prefix(tried ?? portion) }
  /// When the oldest waiting record was received.
  var oldest: Int64? { waiting.first?.arrival.receivedAt }

  mutating func load(_ page: ForwardPage) {
    precondition(waiting.isEmpty, "what waits would be passed over")
    waiting = page.records.map { ForwardMessage($0) }[...]
    end = page.end
    if waiting.isEmpty { position = end }
  }

  /// Drops the waiting records, which must be read again.
  mutating func drop() { waiting = [] }

  /// Called when the refusals are in the store.
  mutating func forget(refusals count: Int) { refusals.removeFirst(count) }

  mutating func forgetPartitions(but marks: [ArrivalMark]) { if waiting.isEmpty { position.keep(marks) } }

  /// Of the request that began at that instant. `chance` is drawn from 0 ..< 1.
  mutating func note(
    _ answer: SinkAnswer, since began: MonotonicInstant, now: MonotonicInstant, wall: Int64, chance: Double
  ) {
    let left = next.count - answer.taken
    let since = answer.taken > 0 ? now : began
    tried = nil
    take(answer.taken)
    switch answer.trouble {
    case nil: break
    case .later(let wish, let reason):
      pause(wish, reason, since, now, chance)
      tried = left > 0 ? left : nil
    case .refused(let count, _) where count > 1: portion = (count + 1) / 2
    case .refused(_, let reason) where refusalCount.inRow < ForwardProgress.refusedInRowMax:
      skipRefused(because: reason, wall)
    case .refused(_, let reason): pause(nil, "refuses every record: \(reason)", since, now, chance)
    }
  }

  private mutating func take(_ count: Int) {
    guard count > 0 else { return }
    pass(count)
    sent += UInt64(count)
    refusalCount.inRow = 0
    (failures, trouble, troubleSince, pausesUntil) = (0, nil, nil, nil)
    portion = min(portionMax, portion * 2)
  }

  private mutating func pass(_ count: Int) {
    for message in waiting.prefix(count) { position.advance(past: message.arrival) }
    waiting.removeFirst(count)
    if waiting.isEmpty { position = end }
  }

  private mutating func skipRefused(because reason: String, _ wall: Int64) {
    guard let arrival = waiting.first?.arrival else { preconditionFailure("a sink refused what it was not sent") }
    refusals.append(SinkRefusal(device: arrival.device, key: arrival.key, reason: reason, at: wall))
    refused += 1
    refusalReason = reason
    refusalCount = RefusalCount(total: refusalCount.total + 1, inRow: refusalCount.inRow + 1)
    (failures, trouble, troubleSince, pausesUntil) = (0, nil, nil, nil)
    pass(1)
  }

  /// Waits between half of the pause and all of it, so that sinks that failed together are not retried together. A wish makes
  /// the pause longer, never shorter: 0 or a date in the past would repeat the request at once, without end.
  private mutating func pause(
    _ wish: Nanoseconds?, _ reason: String, _ since: MonotonicInstant, _ now: MonotonicInstant, _ chance: Double
  ) {
    let doubled = ForwardProgress.firstPause.count << min(failures, 16)
    let pause = min(doubled, ForwardProgress.longestPause.count)
    failures += 1
    retried += 1
    trouble = reason
    troubleSince = troubleSince ?? since
    let drawn = Nanoseconds(pause / 2 + Int64(Double(pause / 2) * chance))
    pausesUntil = now + max(drawn, min(wish ?? drawn, ForwardProgress.longestWish))
  }
}
