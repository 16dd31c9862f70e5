import Base
import Network
import Testing

/// The clocks of a connection against a second, slower telling of the rules: all histories of five events.
@Suite struct ConnectionTimesTests {
  enum Event: CaseIterable {
    case idle, head, nextHead, body, answering, bytes, manyBytes, sent, waits, waitsNoMore, pauses, resumes
  }

  private static var limits: TimeLimits {
    var limits = TimeLimits()
    limits.idle = .seconds(60)
    limits.head = .seconds(10)
    limits.body = .seconds(30)
    limits.bodyGrace = .seconds(10)
    limits.bodyBytesPerSecond = 1_024
    limits.bodyCredit = .seconds(12)
    limits.write = .seconds(25)
    limits.linger = .seconds(5)
    return limits
  }

  private static func at(_ seconds: Int64) -> MonotonicInstant {
    MonotonicInstant(nanoseconds: seconds * 1_000_000_000)
  }

  private func phase(_ event: Event) -> ConnectionPhase? {
    switch event {
    case .idle: .idle
    case .head: .head(message: 1)
    case .nextHead: .head(message: 2)
    case .body: .body(message: 1)
    case .answering: .answering
    case .bytes, .manyBytes, .sent, .waits, .waitsNoMore, .pauses, .resumes: nil
    }
  }

  private func byteCount(_ event: Event) -> Int { event == .bytes ? 1_024 : event == .manyBytes ? 8_192 : 0 }

  private func apply(_ event: Event, to times: inout ConnectionTimes, now: MonotonicInstant) {
    if let phase = phase(event) { times.entered(phase, now: now) }
    switch event {
    case .idle, .head, .nextHead, .body, .answering: break
    case .bytes, .manyBytes: times.received(byteCount(event), now: now, under: Self.limits)
    case .sent: times.sent(now: now)
    case .waits: times.waits(toWrite: true, now: now)
    case .waitsNoMore: times.waits(toWrite: false, now: now)
    case .pauses: times.pausedReading(now: now)
    case .resumes: times.resumedReading(now: now)
    }
  }

  /// The deadline after a history of one event every two seconds, second by second and from the rules alone: in whole
  /// seconds, nil when only the server can go on.
  private func expected(_ history: [Event]) -> (second: Int64, limit: TimeLimit)? {
    var phase = ConnectionPhase.idle
    var readSeconds: Int64 = 0  // used up of the phase's time
    var paid: Int64 = 0
    var isPaused = false
    var waitedSince: Int64?
    for (index, event) in history.enumerated() {
      let second = Int64(index + 1) * 2
      if !isPaused { readSeconds += 2 }
      if let next = self.phase(event), next != phase {
        phase = next
        readSeconds = 0
        paid = 0
      }
      // No more than twelve seconds ahead.
      if case .body = phase { paid = max(paid, min(paid + Int64(byteCount(event)) / 1_024, readSeconds + 12)) }
      switch event {
      case .sent:
        if waitedSince != nil { waitedSince = second }
        if phase == .idle { readSeconds = 0 }
      case .waits: waitedSince = waitedSince ?? second
      case .waitsNoMore: waitedSince = nil
      case .pauses: isPaused = true
      case .resumes: isPaused = false
      default: break
      }
    }
    let start = Int64(history.count) * 2 - readSeconds
    let read: (Int64, TimeLimit)? =
      switch phase {
      case .answering: nil
      case .idle: waitedSince == nil ? (start + 60, .idle) : nil
      case .head: (start + 10, .head)
      case .body: 10 + paid < 30 ? (start + 10 + paid, .bodyRate) : (start + 30, .body)
      }
    let write = waitedSince.map { ($0 + 25, TimeLimit.write) }
    guard let read, !isPaused else { return write }
    guard let write else { return read }
    return read.0 < write.0 ? read : write
  }

  @Test func everyHistoryOfFiveEventsHasTheDeadlineOfTheRules() {
    var history = [Event](repeating: .idle, count: 5)
    let all = Event.allCases
    for number in 0..<248_832 {  // 12^5
      var rest = number
      var times = ConnectionTimes(now: Self.at(0))
      for place in history.indices {
        history[place] = all[rest % all.count]
        rest /= all.count
        apply(history[place], to: &times, now: Self.at(Int64(place + 1) * 2))
      }
      let deadline = times.deadline(under: Self.limits)
      let expected = expected(history)
      guard deadline?.instant == expected.map({ Self.at($0.second) }), deadline?.limit == expected?.limit else {
        Issue.record("\(history): \(String(describing: deadline)), not \(String(describing: expected))")
        return
      }
    }
  }

  @Test func aBodyPaysForItsTimeWithBytesUpToTheTotal() {
    var times = ConnectionTimes(now: Self.at(0))
    times.entered(.body(message: 1), now: Self.at(100))
    #expect(times.deadline(under: Self.limits) == .init(instant: Self.at(110), limit: .bodyRate))
    times.received(512, now: Self.at(100), under: Self.limits)
    #expect(times.deadline(under: Self.limits)?.instant == Self.at(110) + .milliseconds(500))
    times.received(19 * 1_024, now: Self.at(109), under: Self.limits)
    #expect(times.deadline(under: Self.limits)?.limit == .bodyRate)
    times.received(512, now: Self.at(109), under: Self.limits)
    #expect(times.deadline(under: Self.limits) == .init(instant: Self.at(130), limit: .body))
  }

  /// Four megabytes at once and then a byte a second: the burst pays for half a minute, the bytes for next to nothing.
  @Test func aBurstDoesNotPayForAStall() {
    let limits = TimeLimits()
    var times = ConnectionTimes(now: Self.at(0))
    times.entered(.body(message: 1), now: Self.at(0))
    times.received(4_000_000, now: Self.at(2), under: limits)
    #expect(times.deadline(under: limits) == .init(instant: Self.at(42), limit: .bodyRate))
    for second in 3..<40 as Range<Int64> { times.received(1, now: Self.at(second), under: limits) }
    let deadline = times.deadline(under: limits)
    #expect(deadline?.limit == .bodyRate && (deadline?.instant ?? Self.at(0)) < Self.at(43))
    // Who goes on at the rate is ended by nothing.
    times.received(8_192, now: Self.at(40), under: limits)
    #expect((times.deadline(under: limits)?.instant ?? Self.at(0)) > Self.at(49))
  }

  /// How long a sender that sends `bytesPerSecond`, second by second, goes on with a body of this length under the
  /// defaults: until it is through, or until a limit ends it.
  private func send(
    _ length: Int, bytesPerSecond: Int
  ) -> (seconds: Int64, limit: TimeLimit?) {
    let limits = TimeLimits()
    var times = ConnectionTimes(now: Self.at(0))
    times.entered(.body(message: 1), now: Self.at(0))
    var sent = 0
    var second: Int64 = 0
    while sent < length {
      second += 1
      if let deadline = times.deadline(under: limits), deadline.instant <= Self.at(second) {
        return (second, deadline.limit)
      }
      times.received(bytesPerSecond, now: Self.at(second), under: limits)
      sent += bytesPerSecond
    }
    return (second, nil)
  }

  @Test func anHonestPhoneHasTheTimeThatItsBodyTakes() {
    #expect(send(1_000_000, bytesPerSecond: 20_000) == (50, nil))
    #expect(send(8 << 20, bytesPerSecond: 10_000) == (839, nil))
  }

  @Test(arguments: [1, 100, 900])
  func aSenderBelowTheRateEndsSoonAfterTheGrace(bytesPerSecond: Int) {
    let (seconds, limit) = send(1_000_000, bytesPerSecond: bytesPerSecond)
    #expect(limit == .bodyRate)
    // Each byte pays for its part of a second: the first whole second s with 10 + share * (s - 1) <= s.
    let share = Double(bytesPerSecond) / 1_024
    #expect(seconds == Int64(((10 - share) / (1 - share)).rounded(.up)))
  }

  @Test func noBodyTakesForEver() {
    let (seconds, limit) = send(1 << 30, bytesPerSecond: 2_048)
    #expect(limit == .body)
    #expect(seconds == 900)
  }

  @Test func lingeringKnowsNoOtherLimit() {
    for event in Event.allCases {
      var times = ConnectionTimes(now: Self.at(0))
      apply(event, to: &times, now: Self.at(1))
      times.startedLingering(now: Self.at(2))
      for later in Event.allCases { apply(later, to: &times, now: Self.at(3)) }
      times.startedLingering(now: Self.at(4))
      #expect(times.deadline(under: Self.limits) == .init(instant: Self.at(7), limit: .linger))
    }
  }
}
