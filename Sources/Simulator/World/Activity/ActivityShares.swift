/// Which share of the time on the way the motion sensors report what.
package struct ActivityShares: Equatable, Sendable {
  /// What it really is: the activity with the largest share.
  package let truth: MotionActivity
  /// Of the time in which the truth is reported.
  let truthShare: Double
  private let others: [(activity: MotionActivity, share: Double)]

  /// At least one; they add up to 1.
  package init?(_ shares: [(activity: MotionActivity, share: Double)]) {
    guard let first = shares.first else { return nil }
    let largest = shares.dropFirst().reduce(first) { $1.share > $0.share ? $1 : $0 }
    truth = largest.activity
    others = shares.filter { $0.activity != largest.activity && $0.share > 0 }
    truthShare = others.isEmpty ? 1 : largest.share
  }

  /// What the truth is taken for; `uniform` is a draw of 0 ..< 1. Nil: nothing else is ever reported.
  func mistake(_ uniform: Double) -> MotionActivity? {
    var left = uniform * others.reduce(0) { $0 + $1.share }
    for other in others {
      left -= other.share
      if left < 0 { return other.activity }
    }
    return others.last?.activity
  }

  package static func == (left: ActivityShares, right: ActivityShares) -> Bool {
    left.truth == right.truth && left.truthShare == right.truthShare
      && left.others.elementsEqual(right.others) { $0 == $1 }
  }
}
