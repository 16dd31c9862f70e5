/// The counters of one loop, or of all together, at one moment.
package struct LoopFigures: Equatable, Sendable {
  package internal(set) var accepted: UInt64 = 0
  package internal(set) var bytesIn: UInt64 = 0
  package internal(set) var bytesOut: UInt64 = 0
  /// How often a listener was left alone because descriptors, kernel memory or connections had run out.
  package internal(set) var acceptPauses: UInt64 = 0
  /// Messages for connections that were gone.
  package internal(set) var lettersDropped: UInt64 = 0
  var closed = [UInt64](repeating: 0, count: CloseReason.allCases.count)

  package init() {}

  package func closed(_ reason: CloseReason) -> UInt64 { closed[reason.rawValue] }

  package var open: UInt64 { accepted - closed.reduce(0, +) }

  package static func + (left: LoopFigures, right: LoopFigures) -> LoopFigures {
    var sum = left
    sum.accepted += right.accepted
    sum.bytesIn += right.bytesIn
    sum.bytesOut += right.bytesOut
    sum.acceptPauses += right.acceptPauses
    sum.lettersDropped += right.lettersDropped
    for reason in CloseReason.allCases { sum.closed[reason.rawValue] += right.closed[reason.rawValue] }
    return sum
  }
}
