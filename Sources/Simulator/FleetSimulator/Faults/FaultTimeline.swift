import Base
import Scenario

/// What goes wrong with one device: what is to come, and what has begun and not ended.
struct FaultTimeline {
  /// An occurrence of a fault, without its device.
  struct Spell {
    /// The place of the fault among those of the run.
    let fault: Int
    let ordinal: Int
    let start: MonotonicInstant
    /// Nil: not before everything is healed.
    let end: MonotonicInstant?
    let effects: FaultEffects
    /// A plan has named it: it comes wherever the device is.
    var isListed = false
  }

  /// One for each fault that comes by chance or by the clock, or all that are listed.
  private var coming: [Spell]
  private(set) var running: [Spell] = []
  /// Of all that are running.
  private(set) var effects: FaultEffects = []
  /// When something begins or ends.
  private(set) var next: MonotonicInstant?

  init(_ coming: [Spell]) {
    self.coming = coming
    look()
  }

  /// The first that begins by an instant; its successor comes in its place.
  mutating func takeComing(by instant: MonotonicInstant, _ successor: (Spell) -> Spell?) -> Spell? {
    guard let place = coming.indices.min(by: { coming[$0].start < coming[$1].start }), coming[place].start <= instant
    else { return nil }
    let taken = coming[place]
    if let successor = successor(taken) { coming[place] = successor } else { coming.remove(at: place) }
    look()
    return taken
  }

  /// More is to come.
  mutating func append(_ spells: [Spell]) {
    coming += spells
    look()
  }

  mutating func begin(_ spell: Spell) {
    running.append(spell)
    look()
  }

  /// The first that is over.
  mutating func takeEnded(by instant: MonotonicInstant) -> Spell? {
    guard let place = running.firstIndex(where: { $0.end.map { $0 <= instant } ?? false }) else { return nil }
    let ended = running.remove(at: place)
    look()
    return ended
  }

  /// Ends one before its time.
  mutating func remove(_ spell: Spell) {
    running.removeAll { $0.fault == spell.fault && $0.ordinal == spell.ordinal }
    look()
  }

  /// Nothing goes wrong any more. Gives what had not ended.
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
