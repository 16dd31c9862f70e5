import Base
import Sensing
import World

/// Changes of a device by acts between its turns; the consequences follow in its next turn.
extension SimulatedDevice {
  /// Adapts to a new presence of its fleet from an instant on.
  mutating func changePresencePlan(at instant: MonotonicInstant, in run: RunContext) {
    let presence = fleet.presence
    let isWanted = presence.isPresent(index, at: instant)
    if life.isInstalled {
      life.presenceChange =
        isWanted != life.isPresent ? instant : presence.change(of: index, after: instant)
    } else {
      expect(isWanted ? instant : presence.first(of: index, after: instant), in: run)
    }
  }

  /// Changes the time of its first presence.
  private mutating func expect(_ start: MonotonicInstant?, in run: RunContext) {
    guard start != life.presenceChange else { return }
    life.presenceChange = start
    guard let start else { return }
    prepare(for: start, in: run)
  }

  /// Changes the trips of its fleet from an instant on. Returns the time of its next turn: before its first presence, that
  /// presence, or nil for never; later, now, or nil when nothing changes.
  mutating func changeErrands(at instant: MonotonicInstant, in run: RunContext) -> MonotonicInstant? {
    guard case .scheduled(_, let trips) = fleet.movement else { return life.isInstalled ? nil : life.presenceChange }
    // An earlier change may have had more devices.
    let own = trips.indices.contains(index) ? trips[index] : []
    guard life.isInstalled else {
      // The trips may differ even if the first begins at the same time.
      life.presenceChange = own.first?.start
      if let start = life.presenceChange { prepare(for: start, in: run) }
      return life.presenceChange
    }
    move(to: instant, in: run)
    guard body.replan(own) else { return nil }
    tellMoves(at: instant, in: run)
    return instant
  }

  /// Adds a fault; reports whether it may affect the device.
  mutating func add(fault: Int, in run: RunContext) -> Bool {
    let spells = run.faults.spells(of: fault, index, in: fleet.setup)
    faults.append(spells)
    return !spells.isEmpty
  }
}
