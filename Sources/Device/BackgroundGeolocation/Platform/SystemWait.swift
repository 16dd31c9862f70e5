import Base

/// Waiting for an instant of the machine's clock.
enum SystemWait {
  /// Cancelled, it does nothing any more.
  static func task(
    until instant: MonotonicInstant, by clock: SystemClock, then work: @escaping @Sendable () -> Void
  ) -> Task<Void, Never> {
    Task.detached {
      do {
        // Timers of the runtime may ring a little early.
        while clock.monotonicNow < instant {
          try await Task.sleep(for: .nanoseconds(max(1, (instant - clock.monotonicNow).count)))
        }
        try Task.checkCancellation()
      } catch { return }
      work()
    }
  }
}
