import Base

/// Counts refreshes that failed. The SDK has no back-off: with a dead refresh token it tries again on every occasion, two
/// requests each time (SDK §11.6, §22 row 5). Counted by token and not by the device that the token names, so that
/// nobody can lock a device out by sending nonsense in its name.
struct RefreshThrottle {
  private struct Window {
    let start: MonotonicInstant
    /// In which it failed.
    let run: String
    var failures: Int
  }

  static let failuresMax = 10
  static let window = Nanoseconds.seconds(60)

  let capacity: Int
  private var windows: [UUID128: Window] = [:]

  init(capacity: Int = 10_000) { self.capacity = capacity }

  /// How long the token has to wait; nil when it may be tried.
  func wait(of token: UUID128, now: MonotonicInstant) -> Nanoseconds? {
    guard let window = windows[token], window.failures >= Self.failuresMax, now < window.start + Self.window else {
      return nil
    }
    return window.start + Self.window - now
  }

  mutating func failed(_ token: UUID128, run: String, now: MonotonicInstant) {
    if var window = windows[token], now < window.start + Self.window {
      window.failures += 1
      windows[token] = window
      return
    }
    if windows.count >= capacity { windows = windows.filter { now < $0.value.start + Self.window } }
    // Against more tokens than that in a minute, memory comes before the count.
    if windows.count >= capacity { windows.removeAll() }
    windows[token] = Window(start: now, run: run, failures: 1)
  }

  /// Forgets the failures of this run, or all; says of how many tokens.
  mutating func clear(run: String?) -> Int {
    let before = windows.count
    windows = windows.filter { run != nil && $0.value.run != run }
    return before - windows.count
  }

  var count: Int { windows.count }
}
