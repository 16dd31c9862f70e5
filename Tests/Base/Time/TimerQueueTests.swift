import Base
import Support
import Testing

@Suite struct TimerQueueTests {
  private func instant(_ nanoseconds: Int64) -> MonotonicInstant { MonotonicInstant(nanoseconds: nanoseconds) }

  private func drained(_ queue: inout TimerQueue<Int>) -> [Int] {
    var payloads: [Int] = []
    while let due = queue.popDue(instant(.max)) { payloads.append(due.payload) }
    return payloads
  }

  @Test func equalDeadlinesComeInTheOrderOfInsertion() {
    var queue = TimerQueue<Int>()
    for payload in 0..<500 { queue.schedule(at: instant(Int64(payload % 3)), payload) }
    let expected = (0..<3).flatMap { deadline in (0..<500).filter { $0 % 3 == deadline } }
    #expect(drained(&queue) == expected)
  }

  @Test func aTimerIsDueAtItsDeadlineAndNotBefore() {
    var queue = TimerQueue<String>()
    #expect(queue.nextDeadline == nil)
    queue.schedule(at: instant(10), "ten")
    #expect(queue.nextDeadline == instant(10))
    let early = queue.popDue(instant(9))
    #expect(early == nil)
    let due = queue.popDue(instant(10))
    #expect(due?.payload == "ten" && due?.deadline == instant(10))
    #expect(queue.isEmpty && queue.nextDeadline == nil)
    let more = queue.popDue(instant(.max))
    #expect(more == nil)
  }

  @Test func aTokenIsWorthlessAfterItsTimerHasGone() {
    var queue = TimerQueue<Int>()
    let fired = queue.schedule(at: instant(1), 1)
    let cancelled = queue.schedule(at: instant(2), 2)
    #expect(queue.popDue(instant(1))?.payload == 1)
    #expect(queue.cancel(cancelled) == 2)
    let successors = [queue.schedule(at: instant(3), 3), queue.schedule(at: instant(4), 4)]
    for token in [fired, cancelled] {
      #expect(queue.cancel(token) == nil)
      let moved = queue.reschedule(token, at: instant(0))
      #expect(!moved)
    }
    for (token, payload) in zip(successors, [3, 4]) { #expect(queue.cancel(token) == payload) }
  }

  @Test func aRescheduledTimerCountsAsInsertedNow() {
    var queue = TimerQueue<Int>()
    let first = queue.schedule(at: instant(5), 1)
    queue.schedule(at: instant(5), 2)
    queue.reschedule(first, at: instant(5))
    #expect(drained(&queue) == [2, 1])
  }

  @Test func aMillionCancelledOrFiredTimersLeaveNothingBehind() {
    var queue = TimerQueue<Int>()
    for step in 0..<500_000 {
      queue.cancel(queue.schedule(at: instant(Int64(step)), step))
      queue.schedule(at: instant(Int64(step)), step)
      _ = queue.popDue(instant(.max))
    }
    // The queue has no use for a public figure of its memory, so the test looks at the stored arrays.
    let arrays = Mirror(reflecting: queue).children.compactMap { Mirror(reflecting: $0.value).children.count }
    #expect(arrays.count == 4)
    #expect(arrays.allSatisfy { $0 <= 1 }, "\(arrays)")
  }

  @Test func aPayloadIsReleasedWithItsTimer() {
    final class Payload {}
    var queue = TimerQueue<Payload>()
    weak var cancelled: Payload?
    weak var fired: Payload?
    do {
      let payloads = (Payload(), Payload())
      (cancelled, fired) = payloads
      queue.cancel(queue.schedule(at: instant(1), payloads.0))
      queue.schedule(at: instant(2), payloads.1)
      _ = queue.popDue(instant(2))
    }
    #expect(cancelled == nil && fired == nil)
  }

  /// The model is an array that is searched from end to end; deadlines are few, so that ties are many.
  @Test(arguments: 1...40 as ClosedRange<UInt64>)
  func theQueueAgreesWithAnArray(seed: UInt64) {
    struct Timer {
      var deadline: Int64
      var insertion: Int
      let payload: Int
      let token: TimerToken
    }
    var generator = SeededGenerator(seed: seed)
    var queue = TimerQueue<Int>()
    var model: [Timer] = []
    var gone: [TimerToken] = []
    let deadlines = generator.chance(0.5) ? 8 : 1_000_000
    let growth = Int(seed % 3) + 3
    for step in 0..<1_500 {
      let deadline = Int64(generator.index(below: deadlines)) - 4
      switch generator.index(below: growth + 4) {
      case 0 where !model.isEmpty:
        let index = generator.index(below: model.count)
        let timer = model.remove(at: index)
        gone.append(timer.token)
        #expect(queue.cancel(timer.token) == timer.payload, "seed \(seed) step \(step)")
      case 1 where !model.isEmpty:
        let index = generator.index(below: model.count)
        model[index].deadline = deadline
        model[index].insertion = step
        let moved = queue.reschedule(model[index].token, at: instant(deadline))
        #expect(moved, "seed \(seed) step \(step)")
      case 2:
        let due = model.indices.filter { model[$0].deadline <= deadline }
        let first = due.min { (model[$0].deadline, model[$0].insertion) < (model[$1].deadline, model[$1].insertion) }
        let expected = first.map { model.remove(at: $0) }
        let popped = queue.popDue(instant(deadline))
        #expect(popped?.payload == expected?.payload, "seed \(seed) step \(step)")
        if let expected { gone.append(expected.token) }
      case 3 where !gone.isEmpty:
        #expect(queue.cancel(gone[generator.index(below: gone.count)]) == nil, "seed \(seed) step \(step)")
      default:
        let token = queue.schedule(at: instant(deadline), step)
        model.append(Timer(deadline: deadline, insertion: step, payload: step, token: token))
      }
      #expect(queue.count == model.count)
      #expect(queue.nextDeadline == model.map { instant($0.deadline) }.min(), "seed \(seed) step \(step)")
    }
    let rest = model.sorted { ($0.deadline, $0.insertion) < ($1.deadline, $1.insertion) }.map(\.payload)
    #expect(drained(&queue) == rest, "seed \(seed)")
  }
}
