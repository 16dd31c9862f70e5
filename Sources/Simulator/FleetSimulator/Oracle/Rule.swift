import Base
import Scenario
import Vocabulary

/// An invariant that is watched over while a run goes on. It holds what it needs of each device and grows no further.
class Rule: Watcher {
  let ledger: Ledger

  required init(_ ledger: Ledger) { self.ledger = ledger }

  class var invariant: Invariant { preconditionFailure("each rule has one") }
  /// What it wants to see.
  class var interest: Interest { [] }

  /// What did not come up in a run in which it has never looked, as half a sentence.
  class var absence: String { "nothing came up" }

  /// How often it has looked at what it judges: a rule that never looked has shown nothing.
  final var exercised = 0

  func see(_ happening: Happening, _ sighting: Sighting) {}
  /// After the settle phase.
  func close(at instant: MonotonicInstant) {}

  final func blame(
    _ sighting: Sighting, _ uuid: UUID128? = nil, _ what: @autoclosure () -> String,
    story: @autoclosure () -> [String] = []
  ) {
    let instant = sighting.now.monotonic
    ledger.violations.blame(Self.invariant, sighting.device, uuid, at: instant, what(), story: story())
  }
}

/// Kinds of happenings, so that a rule is only called for what concerns it.
struct Interest: OptionSet {
  let rawValue: UInt16

  static let queue = Interest(rawValue: 1)
  static let sent = Interest(rawValue: 2)
  static let served = Interest(rawValue: 4)
  static let ended = Interest(rawValue: 8)
  static let told = Interest(rawValue: 16)
  /// The app begins or ends, is configured, the phone gets another network, the faults are over.
  static let life = Interest(rawValue: 32)
  /// What the body truly does.
  static let truth = Interest(rawValue: 64)
  /// What the body begins to do, and what the app asks for.
  static let course = Interest(rawValue: 128)
}
