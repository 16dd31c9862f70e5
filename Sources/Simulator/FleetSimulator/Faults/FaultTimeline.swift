import Base
import Scenario

/// The faults of one device: the upcoming ones and the active ones.
struct FaultTimeline {
  /// An occurrence of a fault, without its device.
  struct Spell {
    /// The index of the fault in the run.
    let fault: Int
    let ordinal: Int
    let start: MonotonicInstant
    /// Nil: until all faults end.
    let end: MonotonicInstant?
    let effects: FaultEffects
    /// Whether a plan lists it: it then occurs wherever the device is.
    var isListed = false
  }

  /// The next occurrence of each random or scheduled fault, or all listed ones.
  private var coming: [Spell]
  private(set) var running: [Spell] = []
  /// The effects of all active faults.
  private(set) var effects: FaultEffects = []
  /// The time at which the next fault begins or ends.
  private(set) var next: MonotonicInstant?

  init(_ coming: [Spell]) {
    self.coming = coming
    look()
  }

  /// Removes the first occurrence that begins by an instant, and inserts its successor.
  mutating func takeComing(by instant: MonotonicInstant, _ successor: (Spell) -> Spell?) -> Spell? {
    guard let place = coming.indices.min(by: { coming[$0].start < coming[$1].start }), coming[place].start <= instant
    else { return nil }
    let taken = coming[place]
    if let successor = successor(taken) { coming[place] = successor } else { coming.remove(at: place) }
    look()
    return taken
  }

  /// Adds occurrences.
  mutating func append(_ spells: [Spell]) {
    coming += spells
    look()
  }

  mutating func begin(_ spell: Spell) {
    running.append(spell)
    look()
  }

  /// Removes the first occurrence that has ended.
  mutating func takeEnded(by instant: MonotonicInstant) -> Spell? {
    guard let place = running.firstIndex(where: { $0.end.map { $0 <= instant } ?? false }) else { return nil }
    let ended = running.remove(at: place)
    look()
    return ended
  }

  /// Ends an occurrence early.
  mutating func remove(_ spell: Spell) {
    running.removeAll { $0.fault == spell.fault && $0.ordinal == spell.ordinal }
    look()
  }

  /// Ends all faults. Returns those that were active.
  mutating func heal() -> [Spell] {
    let ended = running
    (coming, running, effects, next) = ([], [], [], nil)
    return ended
  }

  private mutating func look() {
    effects = running.reduce(into: []) { $0.formUnion($1.effects) }
    next = coming.lazy.map(\.start).min()
    if let end = running.lazy.compactMap(\.end).min() { next = min(next ?? end, end) }
  }
}
