package import Base
import World

/// When the devices of a fleet are there. Before the first time the app is not installed. At the end of a time its owner
/// stops where they are; the app delivers what it has and stops the SDK. It starts it again when the next time begins.
package enum Presence: Equatable, Sendable {
  /// All of them, from an instant on.
  case from(MonotonicInstant)
  /// As many as a curve says; who came last goes first.
  case ramp(Ramp)
  /// Each from an instant of its own on; nil: never.
  case each([MonotonicInstant?])

  /// When the device with this place in the fleet is there for the first time.
  func first(of index: Int) -> MonotonicInstant? {
    switch self {
    case .from(let instant): instant
    case .each(let instants): instants[index]
    case .ramp(let ramp): ramp.isPresent(index, at: ramp.start) ? ramp.start : ramp.change(of: index, after: ramp.start)
    }
  }

  /// When a device that is there leaves, or one that has left comes back.
  func change(of index: Int, after instant: MonotonicInstant) -> MonotonicInstant? {
    switch self {
    case .from, .each: nil
    case .ramp(let ramp): ramp.change(of: index, after: instant)
    }
  }
}

/// A number of devices over time, in straight lines and jumps.
package struct Ramp: Equatable, Sendable {
  /// From one number to another, in so many seconds; none: a jump.
  package struct Line: Equatable, Sendable {
    package let seconds: Double
    package let first: Double
    package let last: Double

    package init(seconds: Double, first: Double, last: Double) {
      (self.seconds, self.first, self.last) = (seconds, first, last)
    }
  }

  package let start: MonotonicInstant
  /// The last number stays.
  package let lines: [Line]

  package init(start: MonotonicInstant, lines: [Line]) { (self.start, self.lines) = (start, lines) }

  /// Devices that are there are as many as the number, rounded.
  func isPresent(_ index: Int, at instant: MonotonicInstant) -> Bool {
    value(after: (instant - start).seconds) >= Double(index) + 0.5
  }

  private func value(after seconds: Double) -> Double {
    var rest = seconds
    for line in lines {
      if rest < line.seconds { return line.first + (line.last - line.first) * rest / line.seconds }
      rest -= line.seconds
    }
    return lines.last?.last ?? 0
  }

  /// The next instant at which it is not as it is at this one.
  func change(of index: Int, after instant: MonotonicInstant) -> MonotonicInstant? {
    let (wasPresent, mark) = (isPresent(index, at: instant), Double(index) + 0.5)
    let now = (instant - start).seconds
    var begin = 0.0
    for line in lines {
      let end = begin + line.seconds
      defer { begin = end }
      guard end >= now else { continue }
      // Within the line, and at its end, where the next one may begin elsewhere.
      var candidates: [Double] = []
      if line.first != line.last, line.seconds > 0 {
        candidates.append(begin + (mark - line.first) / (line.last - line.first) * line.seconds)
      }
      candidates.append(end)
      for candidate in candidates where candidate >= begin && candidate <= end {
        let found = max(
          MonotonicInstant(secondsRoundedUp: start.seconds + candidate), instant + .milliseconds(1))
        // On its way down the number is below the mark only after it.
        for found in [found, found + .milliseconds(1)] where isPresent(index, at: found) != wasPresent {
          return found
        }
      }
    }
    return nil
  }
}
