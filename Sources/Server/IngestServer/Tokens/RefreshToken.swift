import Base
import Store
import Synchronization
import TLS

/// An opaque token that can be used once. It names its device, so that an answer needs no look-up; the name is authentic
/// because the store has a hash of the whole token.
struct RefreshToken: Equatable {
  let text: String
  let device: DeviceIdentity

  /// Creates a new token.
  init(for device: DeviceIdentity) {
    self.device = device
    var bytes: [UInt8] = []
    for part in [Array(device.run.utf8), Array(device.name.utf8), Cryptography.randomBytes(24)] {
      if !bytes.isEmpty { bytes.append(UInt8(ascii: ".")) }
      // An empty run would be an empty part, and its dot would be lost.
      if part.isEmpty { bytes.append(UInt8(ascii: "-")) } else { Base64URL.append(part, to: &bytes) }
    }
    text = String(decoding: bytes, as: UTF8.self)
  }

  /// Parses a token of a client; nil when it does not have the form of this server's tokens.
  init?(text: String) {
    let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map(Array.init)
    guard parts.count == 3, let run = RefreshToken.name(parts[0]), let name = RefreshToken.name(parts[1]) else {
      return nil
    }
    self.text = text
    device = DeviceIdentity(run: run, name: name)
  }

  /// The hash that the store keeps instead of the token.
  var hash: UUID128 { UUID128(digest: Cryptography.sha256(Array(text.utf8))) }

  private static func name(_ part: [UInt8]) -> String? {
    if part == [UInt8(ascii: "-")] { return "" }
    return Base64URL.decode(part[...]).flatMap { String(validating: $0, as: UTF8.self) }
  }
}

extension UUID128 {
  /// Takes the first half of a SHA-256 digest.
  init(digest: [UInt8]) {
    func word(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
    self.init(high: word(digest[0..<8]), low: word(digest[8..<16]))
  }
}

/// Counts failed refreshes. The SDK has no back-off: with a dead refresh token it retries on every occasion, with two requests
/// each time (SDK §11.6, §22 row 5). Counted by token and not by the device that the token names, so that a client cannot lock
/// out a device by sending invalid tokens in its name.
struct RefreshThrottle {
  private struct Window {
    let start: MonotonicInstant
    /// The run of the failures.
    let run: String
    var failures: Int
  }

  static let failuresMax = 10
  static let window = Nanoseconds.seconds(60)

  let capacity: Int
  private var windows: [UUID128: Window] = [:]

  init(capacity: Int = 10_000) { self.capacity = capacity }

  /// Returns how long the token must wait; nil when it may be tried.
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
    // With more tokens than that in a minute, bounded memory is more important than the counts.
    if windows.count >= capacity { windows.removeAll() }
    windows[token] = Window(start: now, run: run, failures: 1)
  }

  /// Deletes the failures of this run, or all; returns the number of tokens.
  mutating func clear(run: String?) -> Int {
    let before = windows.count
    windows = windows.filter { run != nil && !$0.value.run.isExactly(run) }
    return before - windows.count
  }

  var count: Int { windows.count }
}

/// The checks before a refresh: the failures of its token, and the faults that an administrator has requested.
final class RefreshChecks: Sendable {
  /// Locked briefly during a refresh, which is a rare request.
  let throttle = Mutex(RefreshThrottle())
  let breakages = Mutex(RefreshBreakages())
}
