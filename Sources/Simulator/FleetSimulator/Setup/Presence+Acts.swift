import Base
import World

extension Ramp {
  /// A change by an act: from an instant on, the number of the lines is multiplied and then increased.
  struct Turn: Equatable, Sendable {
    let instant: MonotonicInstant
    let factor: Double
    let shift: Double
  }

  /// The maximum number, rounded.
  var peak: Int {
    var ends: [MonotonicInstant] = [start] + turns.map(\.instant)
    var begin = start.seconds
    for line in lines {
      begin += line.seconds
      let end = MonotonicInstant(secondsRoundedUp: begin)
      // A jump may begin at the end of a line.
      ends += [end, max(start, end + .milliseconds(-2)), end + .milliseconds(2)]
    }
    for turn in turns where turn.instant > start { ends.append(turn.instant + Nanoseconds(-1)) }
    return Int(max(0, (ends.map { value(at: $0) }.max() ?? 0) + 0.5).rounded(.down))
  }
}

extension Presence {
  /// Returns the presence with a number of devices that is multiplied and then increased from an instant on. `devices` is the
  /// number of devices that are always present.
  func steered(at instant: MonotonicInstant, factor: Double, shift: Double, of devices: Int) -> Presence {
    switch self {
    case .each: return self
    case .from(let start):
      let all = Double(devices)
      let ramp = Ramp(start: start, lines: [Ramp.Line(seconds: 0, first: all, last: all)])
      return Presence.ramp(ramp).steered(at: instant, factor: factor, shift: shift, of: devices)
    case .ramp(var ramp):
      let last = ramp.turns.last ?? Ramp.Turn(instant: ramp.start, factor: 1, shift: 0)
      // The number does not drop below zero, so that later increases start from zero.
      let now = ramp.value(at: instant)
      let least = shift < 0 ? max(shift, -max(0, now)) : shift
      ramp.turns.append(
        Ramp.Turn(instant: instant, factor: last.factor * factor, shift: last.shift * factor + least))
      return .ramp(ramp)
    }
  }

  func isPresent(_ index: Int, at instant: MonotonicInstant) -> Bool {
    switch self {
    case .from(let start): start <= instant
    case .each(let starts): starts.indices.contains(index) && starts[index].map { $0 <= instant } ?? false
    case .ramp(let ramp): instant >= ramp.start && ramp.isPresent(index, at: instant)
    }
  }

  /// Returns the first presence of a device that is absent.
  func first(of index: Int, after instant: MonotonicInstant) -> MonotonicInstant? {
    guard case .ramp(let ramp) = self, instant >= ramp.start else { return first(of: index) }
    return ramp.change(of: index, after: instant)
  }

  /// See `Ramp.peak`; 0 for other kinds of presence.
  var peak: Int { if case .ramp(let ramp) = self { ramp.peak } else { 0 } }
}

extension SharedFleet {
  /// Returns the present members of the whole fleet, by index.
  func members(at instant: MonotonicInstant) -> [Int] {
    // The spare places of a fleet that is always present are not members.
    let places: Int = if case .from = presence { setup.devices } else { setup.devices + setup.room }
    return (0..<places).filter { presence.isPresent($0, at: instant) }
  }
}
