package import Base

/// Times and rates of a link, in seconds and bits per second.
package struct LinkQuality: Equatable, Sendable {
  /// There and back.
  package var latency: Double
  /// Standard deviation of one way.
  package var jitter: Double
  package var downBitsPerSecond: Double
  package var upBitsPerSecond: Double
  /// Share of the packets that are lost on one way.
  package var loss: Double

  package init(latency: Double, jitter: Double, downBitsPerSecond: Double, upBitsPerSecond: Double, loss: Double) {
    precondition(latency >= 0 && jitter >= 0 && downBitsPerSecond >= 0 && upBitsPerSecond >= 0, "no link is faster")
    precondition(loss >= 0 && loss <= 1, "a share is 0 to 1")
    self.latency = latency
    self.jitter = jitter
    self.downBitsPerSecond = downBitsPerSecond
    self.upBitsPerSecond = upBitsPerSecond
    self.loss = loss
  }

  /// RFC 6298 §2: the first timeout of a connection, doubled with every loss.
  private static let retransmissionSeconds = 1.0
  private static let retransmissions = 6

  /// How long some bytes take one way over a reliable connection, which sends again what is lost. Nil when they do not
  /// arrive: there is no network, or the last of several attempts was lost too.
  package func transfer(bytes: Int, isUpload: Bool, from stream: inout RandomStream) -> Nanoseconds? {
    let rate = isUpload ? upBitsPerSecond : downBitsPerSecond
    guard rate > 0 else { return nil }
    var seconds = 0.5 * latency + jitter * stream.normal().magnitude + Double(bytes) * 8 / rate
    var timeout = LinkQuality.retransmissionSeconds
    var attempts = 0
    while stream.chance(loss) {
      attempts += 1
      guard attempts <= LinkQuality.retransmissions else { return nil }
      seconds += timeout
      timeout *= 2
    }
    return Nanoseconds(Int64(seconds * 1e9))
  }
}
