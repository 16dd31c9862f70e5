internal import Synchronization
package import TLS

/// The counters of one loop, or of all together, at one moment.
package struct LoopFigures: Equatable, Sendable {
  package internal(set) var accepted: UInt64 = 0
  /// Connections opened to other servers.
  package internal(set) var opened: UInt64 = 0
  package internal(set) var bytesIn: UInt64 = 0
  package internal(set) var bytesOut: UInt64 = 0
  /// How often accepting was paused because descriptors, kernel memory or connections had run out.
  package internal(set) var acceptPauses: UInt64 = 0
  /// Completed TLS handshakes.
  package internal(set) var handshakes: UInt64 = 0
  /// TLS handshakes abbreviated by a session ticket.
  package internal(set) var handshakesResumed: UInt64 = 0
  var handshakesFailed = [UInt64](repeating: 0, count: HandshakeFailure.allCases.count)
  var closed = [UInt64](repeating: 0, count: CloseReason.allCases.count)

  package init() {}

  package func closed(_ reason: CloseReason) -> UInt64 { closed[reason.rawValue] }

  package func handshakesFailed(_ failure: HandshakeFailure) -> UInt64 { handshakesFailed[failure.place] }

  package var open: UInt64 { accepted + opened - closed.reduce(0, +) }

  package static func + (left: LoopFigures, right: LoopFigures) -> LoopFigures {
    var sum = left
    sum.accepted += right.accepted
    sum.opened += right.opened
    sum.bytesIn += right.bytesIn
    sum.bytesOut += right.bytesOut
    sum.acceptPauses += right.acceptPauses
    sum.handshakes += right.handshakes
    sum.handshakesResumed += right.handshakesResumed
    for place in sum.handshakesFailed.indices { sum.handshakesFailed[place] += right.handshakesFailed[place] }
    for reason in CloseReason.allCases { sum.closed[reason.rawValue] += right.closed[reason.rawValue] }
    return sum
  }
}

/// The counters of one loop since it started. Written by the loop only, readable from any thread at any time; related figures
/// may be read at slightly different moments.
package final class LoopCounters: Sendable {
  private let accepted = Atomic<UInt64>(0)
  private let opened = Atomic<UInt64>(0)
  private let bytesIn = Atomic<UInt64>(0)
  private let bytesOut = Atomic<UInt64>(0)
  private let acceptPauses = Atomic<UInt64>(0)
  private let handshakes = Atomic<UInt64>(0)
  private let handshakesResumed = Atomic<UInt64>(0)
  private let handshakesFailed: [BoxedCounter]
  private let closed: [BoxedCounter]

  /// An atomic in a box, because an array cannot hold noncopyable values.
  private final class BoxedCounter: Sendable {
    let count = Atomic<UInt64>(0)
  }

  init() {
    closed = CloseReason.allCases.map { _ in BoxedCounter() }
    handshakesFailed = HandshakeFailure.allCases.map { _ in BoxedCounter() }
  }

  func countOpened() { opened.wrappingAdd(1, ordering: .relaxed) }
  func countAccepted() { accepted.wrappingAdd(1, ordering: .relaxed) }
  func countIn(_ bytes: Int) { bytesIn.wrappingAdd(UInt64(bytes), ordering: .relaxed) }
  func countOut(_ bytes: Int) { bytesOut.wrappingAdd(UInt64(bytes), ordering: .relaxed) }
  func countPause() { acceptPauses.wrappingAdd(1, ordering: .relaxed) }
  /// Counted after the connection was accepted or opened, for every reader.
  func countClosed(_ reason: CloseReason) { closed[reason.rawValue].count.wrappingAdd(1, ordering: .releasing) }

  func countHandshake(isResumed: Bool) {
    if isResumed {
      handshakesResumed.wrappingAdd(1, ordering: .relaxed)
    } else {
      handshakes.wrappingAdd(1, ordering: .relaxed)
    }
  }

  func countHandshakeFailure(_ failure: HandshakeFailure) {
    handshakesFailed[failure.place].count.wrappingAdd(1, ordering: .relaxed)
  }

  package var figures: LoopFigures {
    var figures = LoopFigures()
    // Closed before accepted, so that no reader sees a negative number of open connections.
    figures.closed = closed.map { $0.count.load(ordering: .acquiring) }
    figures.accepted = accepted.load(ordering: .relaxed)
    figures.opened = opened.load(ordering: .relaxed)
    figures.bytesIn = bytesIn.load(ordering: .relaxed)
    figures.bytesOut = bytesOut.load(ordering: .relaxed)
    figures.acceptPauses = acceptPauses.load(ordering: .relaxed)
    figures.handshakes = handshakes.load(ordering: .relaxed)
    figures.handshakesResumed = handshakesResumed.load(ordering: .relaxed)
    figures.handshakesFailed = handshakesFailed.map { $0.count.load(ordering: .relaxed) }
    return figures
  }
}

extension HandshakeFailure {
  /// The index in the order of the cases.
  fileprivate var place: Int {
    guard let place = HandshakeFailure.allCases.firstIndex(of: self) else {
      preconditionFailure("a case is in the list")
    }
    return place
  }
}
