import Base
import Contract
import CurlTransport
import Synchronization
import Threads
import Upload

/// Sends to one receiver, in a thread of its own, so that a run never waits for a receiver. The queue is bounded: when it is
/// full the oldest shipments are dropped, because the latest figures of a run matter most.
package final class TelemetrySender: Sendable {
  /// The pace and the limits of retries.
  struct Pace: Sendable {
    /// Before the second attempt; doubled before each further one.
    var firstPause = Nanoseconds.milliseconds(500)
    var longestPause = Nanoseconds.seconds(30)
    /// The time limit from the first attempt on.
    var patience = Nanoseconds.seconds(60)
    /// The timeout of one answer.
    var answerTime = Nanoseconds.seconds(10)
    var waitingMax = 1_024
    var waitingBytesMax = 32 << 20
  }

  private struct State {
    var waiting: BoundedQueue<TelemetryBatch>
    var waitingBytes = 0
    var account = SendingAccount()
    /// Nothing is sent after it; nil during the run.
    var end: MonotonicInstant?
    var alarm: (@Sendable () -> Void)?
  }

  private let rules: SendingRules
  private let headers: [NameValuePair]
  private let pace: Pace
  private let state: Mutex<State>
  private let waker = Waker()
  private let thread: Mutex<NamedThread?> = Mutex(nil)
  private let clock = SystemClock()

  private static let answerBytesMax = 65_536

  init(_ rules: SendingRules, headers: [NameValuePair], pace: Pace = Pace()) throws(TransportError) {
    (self.rules, self.headers, self.pace) = (rules, headers, pace)
    state = Mutex(State(waiting: BoundedQueue(capacity: pace.waitingMax)))
    var configuration = TransportConfiguration()
    configuration.answerLimit = TelemetrySender.answerBytesMax
    configuration.keepsHeads = true
    configuration.readsEnvironment = true
    let settled = configuration
    let thread = try NamedThread.opening("telemetry") { () throws(TransportError) in
      try DrivenTransport(settled)
    } run: { [self] transport in
      work(with: transport)
    }
    self.thread.withLock { $0 = thread }
  }

  /// Queues a shipment; never blocks.
  func send(_ shipment: TelemetryBatch) {
    state.withLock { state in
      let bytes = shipment.body.count
      while state.waiting.isFull || state.waitingBytes + bytes > pace.waitingBytesMax,
        let oldest = state.waiting.popFirst()
      {
        state.waitingBytes -= oldest.body.count
        state.account.drop(oldest, because: "the receiver was too slow")
      }
      if state.waiting.append(shipment) { state.waitingBytes += bytes }
    }
    waker.wake()
  }

  /// Sends the queue, for at most that long, and ends. Returns the outcome of everything.
  func finish(within span: Nanoseconds) -> SendingAccount {
    let alarm = state.withLock { state in
      state.end = clock.monotonicNow + span
      return state.alarm
    }
    waker.wake()
    alarm?()
    thread.withLock { $0.take() }?.join()
    return state.withLock { $0.account }
  }
}

/// Runs in the sender's thread.
extension TelemetrySender {
  private func work(with transport: DrivenTransport) {
    let alarm = transport.alarm
    state.withLock { $0.alarm = alarm }
    var number: UInt64 = 0
    while let shipment = next() { deliver(shipment, over: transport, &number) }
  }

  /// Waits for the next shipment; nil when there will be none, or when time is over.
  private func next() -> TelemetryBatch? {
    while true {
      let (shipment, isOver): (TelemetryBatch?, Bool) = state.withLock { state in
        if let end = state.end, clock.monotonicNow >= end {
          while let late = state.waiting.popFirst() { state.account.drop(late, because: TelemetrySender.outOfTime) }
        }
        let shipment = state.waiting.popFirst()
        state.waitingBytes -= shipment?.body.count ?? 0
        return (shipment, state.end != nil)
      }
      if shipment != nil || isOver { return shipment }
      waker.wait()
    }
  }

  private static let outOfTime = "there was no time left at the end of the run"

  private func deliver(_ shipment: TelemetryBatch, over transport: DrivenTransport, _ number: inout UInt64) {
    let begun = clock.monotonicNow
    var pause = pace.firstPause
    while true {
      number += 1
      let answer = ask(shipment, number, over: transport)
      switch rules.verdict(on: answer.outcome, head: answer.head, at: clock.wallNow) {
      case .taken(let rejected, let message):
        return state.withLock { $0.account.deliver(shipment, rejected: rejected, message: message) }
      case .refused(let reason): return state.withLock { $0.account.drop(shipment, because: reason) }
      case .again(let wish, let reason):
        // Senders that were rejected together retry at different times.
        let span = max(wish ?? .zero, jittered(pause))
        pause = min(pause + pause, pace.longestPause)
        let now = clock.monotonicNow
        let isInTime = now + span <= begun + pace.patience
        if isInTime, wait(until: now + span, isThere: answer.outcome.status != 0) {
          state.withLock { $0.account.retries += 1 }
          continue
        }
        return state.withLock { $0.account.drop(shipment, because: reason) }
      }
    }
  }

  /// Returns half to three halves of a span.
  private func jittered(_ span: Nanoseconds) -> Nanoseconds {
    var chance = RandomStream(seed: UInt64(bitPattern: clock.monotonicNow.nanoseconds), device: 0, concern: 0)
    return Nanoseconds(Int64(Double(span.count) * (0.5 + chance.uniform())))
  }

  /// Waits for a retry. Returns false when the run has ended and a retry is pointless: the instant is too late, or the
  /// receiver is unreachable, which also applies to the rest of the queue.
  private func wait(until instant: MonotonicInstant, isThere: Bool) -> Bool {
    while true {
      let now = clock.monotonicNow
      let mayGoOn = state.withLock { state in
        guard let end = state.end else { return true }
        if !isThere { state.end = min(end, now) }
        return isThere && instant < end
      }
      guard mayGoOn else { return false }
      guard now < instant else { return true }
      waker.wait(milliseconds: Int((instant - now).wholeMilliseconds) + 1)
    }
  }

  private func ask(_ shipment: TelemetryBatch, _ number: UInt64, over transport: DrivenTransport) -> TransportCompletion
  {
    transport.submit(
      OutgoingRequest(
        id: number, purpose: .records, method: "POST", url: shipment.url, headers: headers, body: shipment.body,
        timeout: pace.answerTime), device: 0)
    while true {
      let end = state.withLock { $0.end }
      if let completion = transport.turn(until: end).first { return completion }
      if let end, clock.monotonicNow >= end { transport.cancel(number, device: 0) }
    }
  }
}
