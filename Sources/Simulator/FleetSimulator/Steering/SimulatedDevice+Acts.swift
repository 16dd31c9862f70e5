import Base
import Sensing
import World

/// What acts change of a device between its turns; what follows from it happens in its next turn.
extension SimulatedDevice {
  /// The presence of its fleet has another plan from an instant on.
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

  /// It is to be there for the first time at another instant.
  private mutating func expect(_ start: MonotonicInstant?, in run: RunContext) {
    guard start != life.presenceChange else { return }
    life.presenceChange = start
    guard let start else { return }
    prepare(for: start, in: run)
  }

  /// Its fleet makes other trips from an instant on. Gives when it has to be called: for the first time, where it has not
  /// been there yet, nil: never; or now, nil when nothing changes.
  mutating func changeErrands(at instant: MonotonicInstant, in run: RunContext) -> MonotonicInstant? {
    guard case .scheduled(_, let orders) = fleet.movement else { return life.isInstalled ? nil : life.presenceChange }
    // An earlier change may have had more devices.
    let own = orders.indices.contains(index) ? orders[index] : []
    guard life.isInstalled else {
      // Its trips are others even where the first begins when the old one did.
      life.presenceChange = own.first?.start
      if let start = life.presenceChange { prepare(for: start, in: run) }
      return life.presenceChange
    }
    move(to: instant, in: run)
    guard body.reorder(own) else { return nil }
    tellMoves(at: instant, in: run)
    return instant
  }

  /// Whether the fault may affect it.
  mutating func add(fault: Int, in run: RunContext) -> Bool {
    let spells = run.faults.spells(of: fault, index, in: fleet.setup)
    faults.append(spells)
    return !spells.isEmpty
  }
}
