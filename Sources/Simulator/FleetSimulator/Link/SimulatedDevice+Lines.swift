import Base
import Network
import Vocabulary

/// The device's connections: one is kept for the next request.
extension SimulatedDevice {
  /// The idle connection when it is still good, or a new one.
  mutating func takeLine(at instant: MonotonicInstant, in site: Site) -> (line: Line, isNew: Bool) {
    if let line = idleLine {
      idleLine = nil
      let silence = instant - line.idleSince
      let now = site.setup.moment(at: instant)
      let serverLimit = site.inside?.idleLimit ?? site.setup.keepAlive
      if silence < min(serverLimit, site.setup.keepAlive) { return (line, false) }
      line.serverEnd?.close(serverLimit <= site.setup.keepAlive ? .idleTimeout : .clientClosed, at: now)
    }
    lines += 1
    return (Line(number: lines - 1, serverEnd: site.inside?.connect()), true)
  }

  /// A whole answer has come through it.
  mutating func giveBack(_ line: Line?, at now: Moment, in site: Site) {
    guard var line, line.serverEnd?.isOpen ?? true else { return }
    line.idleSince = now.monotonic
    idleLine?.serverEnd?.close(.clientClosed, at: site.setup.moment(at: now.monotonic))
    idleLine = line
  }

  /// The app or its network is gone, and all connections with it.
  mutating func loseLines(_ reason: CloseReason, at instant: MonotonicInstant, in site: Site) {
    let now = site.setup.moment(at: instant)
    // A server learns of a silent end only by the silence.
    idleLine?.serverEnd?.close(reason == .lost ? .idleTimeout : .clientClosed, at: now)
    idleLine = nil
    for exchange in exchanges { exchange.line?.serverEnd?.close(reason, at: now) }
  }
}
