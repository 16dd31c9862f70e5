package import Base

extension LoopGroup {
  /// How a run came to its end.
  package enum Outcome: Hashable, Sendable {
    /// Every connection was finished in the time of the drain.
    case drained
    /// A second signal came, or the time of the drain was over: connections were cut.
    case stopped
  }

  /// Stops accepting, closes what is idle and lets the others finish; what is left after `time` is cut. Returns at once.
  package func drain(within time: Nanoseconds) {
    for mailbox in mailboxes { mailbox.tell(.drain(within: time)) }
  }

  /// Cuts every connection. Returns at once.
  package func stop() {
    for mailbox in mailboxes { mailbox.tell(.stop) }
  }

  /// Waits until every loop has ended. After that no session is called any more.
  package func wait() {
    for loop in loops { loop.join() }
  }

  /// Serves until a signal comes, then drains; a second signal stops at once. Returns when every loop has ended.
  package func run(until signals: SignalWatcher, drainWithin time: Nanoseconds) -> Outcome {
    var count = 0
    while true {
      let ready = Syscalls.waitReadable(signals.descriptor.number, finish.event.number)
      if ready.second { break }
      while signals.next() != nil {
        count += 1
        if count == 1 { drain(within: time) } else { stop() }
      }
    }
    wait()
    return figures.contains { $0.closed(.stopped) > 0 } ? .stopped : .drained
  }
}
