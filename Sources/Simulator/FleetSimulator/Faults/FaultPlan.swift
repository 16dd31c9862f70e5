package import Base
package import Scenario
import World

/// Which devices each fault affects, and when. What a fault does to a device is not decided here.
struct FaultPlan {
  private(set) var faults: [Fault]
  let seed: UInt64
  /// The networks of faults that change it.
  private(set) var networks: [RadioNetwork?]
  /// For a fault that affects so many devices: the last one that is chosen.
  private var lastChosen: [Choice?]

  /// A device and its lot.
  private struct Choice: Comparable {
    let lot: UInt64
    let key: UInt64

    static func < (left: Choice, right: Choice) -> Bool { (left.lot, left.key) < (right.lot, right.key) }
  }

  init(of setup: RunSetup) {
    let (faults, seed) = (setup.faults, setup.seed)
    self.faults = faults
    self.seed = seed
    networks = faults.map { $0.network(in: setup.radio) }
    lastChosen = faults.map { fault in
      guard let count = fault.selection.count, count > 0 else { return nil }
      var choices: [Choice] = []
      // All of a fleet, also where only some are simulated.
      for fleet in setup.fleets where fault.concerns(fleet.name) {
        choices += (0..<fleet.devices).map { FaultPlan.choice(fault, fleet.key(of: $0), seed) }
      }
      choices.sort()
      return choices.prefix(count).last
    }
  }

  /// One that a person adds on the way, for no number of devices; gives its place among the faults.
  mutating func append(_ fault: Fault, in radio: RadioTable) -> Int {
    faults.append(fault)
    networks.append(fault.network(in: radio))
    lastChosen.append(nil)
    return faults.count - 1
  }

  private static func choice(_ fault: Fault, _ key: UInt64, _ seed: UInt64) -> Choice {
    var stream = FaultDraw.selection.stream(fault.name, seed: seed, device: key)
    return Choice(lot: stream.u64(), key: key)
  }

  /// The faults that may affect one device.
  func timeline(of index: Int, in fleet: FleetSetup) -> FaultTimeline {
    guard !faults.isEmpty else { return FaultTimeline([]) }
    return FaultTimeline(faults.indices.flatMap { spells(of: $0, index, in: fleet) })
  }

  /// All that are listed, or the first.
  func spells(of fault: Int, _ index: Int, in fleet: FleetSetup) -> [FaultTimeline.Spell] {
    if let listed = faults[fault].occurrences { return spells(of: fault, listed, index, fleet.name) }
    let key = fleet.key(of: index)
    guard concerns(fault, key, fleet.name), let first = spell(fault, 0, after: nil, key) else { return [] }
    return [first]
  }

  /// Those of a list that are one device's.
  private func spells(
    of fault: Int, _ listed: [ListedOccurrence], _ index: Int, _ fleet: String
  ) -> [FaultTimeline.Spell] {
    listed.filter { $0.fleet == fleet && $0.member == index }.map { occurrence in
      let start = MonotonicInstant(nanoseconds: 0) + occurrence.start
      return FaultTimeline.Spell(
        fault: fault, ordinal: occurrence.number, start: start, end: faults[fault].end(from: start),
        effects: faults[fault].action.effects, isListed: true)
    }
  }

  private func concerns(_ index: Int, _ key: UInt64, _ fleet: String) -> Bool {
    let fault = faults[index]
    guard fault.concerns(fleet) else { return false }
    if let fraction = fault.selection.fraction {
      var stream = FaultDraw.selection.stream(fault.name, seed: seed, device: key)
      return stream.chance(fraction)
    }
    guard fault.selection.count != nil else { return true }
    return lastChosen[index].map { FaultPlan.choice(fault, key, seed) <= $0 } ?? false
  }

  /// What comes after an occurrence.
  func successor(of spell: FaultTimeline.Spell, _ key: UInt64) -> FaultTimeline.Spell? {
    spell.isListed ? nil : self.spell(spell.fault, spell.ordinal + 1, after: spell.start, key)
  }

  private func spell(
    _ index: Int, _ ordinal: Int, after last: MonotonicInstant?, _ key: UInt64
  ) -> FaultTimeline.Spell? {
    let fault = faults[index]
    let zero = MonotonicInstant(nanoseconds: 0)
    var start = zero
    if fault.perDeviceHour > 0 {
      var stream = FaultDraw.arrivals.stream(fault.name, seed: seed, device: key, n: UInt64(ordinal))
      let milliseconds = stream.exponential(mean: 3_600_000 / fault.perDeviceHour)
      guard milliseconds < 1e12 else { return nil }
      start = (last ?? zero) + .milliseconds(Int64(milliseconds) + 1)
    } else if let only = fault.start, last == nil {
      start = zero + only
    } else {
      return nil
    }
    return FaultTimeline.Spell(
      fault: index, ordinal: ordinal, start: start, end: fault.end(from: start), effects: fault.action.effects)
  }

  /// Whether a fault that comes by itself finds the device where it has to be.
  func finds(_ spell: FaultTimeline.Spell, at place: @autoclosure () -> Coordinate) -> Bool {
    guard !spell.isListed, let area = faults[spell.fault].selection.place else { return true }
    return area.contains(place())
  }

  /// Whether one of a device's faults makes its app crash then.
  func crash(_ moment: CrashMoment, among timeline: FaultTimeline) -> Bool {
    timeline.running.contains {
      if case .storage(let fault) = faults[$0.fault].action { fault.crash == moment } else { false }
    }
  }

  func occurrence(_ spell: FaultTimeline.Spell, of index: Int, in fleet: String) -> FaultOccurrence {
    FaultOccurrence(
      fault: faults[spell.fault].name, fleet: fleet, index: index, ordinal: spell.ordinal, start: spell.start,
      end: spell.end, effects: spell.effects)
  }
}

extension Fault {
  fileprivate func network(in radio: RadioTable) -> RadioNetwork? {
    if case .network(let name) = action { radio.network(named: name) } else { nil }
  }

  fileprivate func concerns(_ fleet: String) -> Bool { selection.fleet.map { $0 == fleet } ?? true }

  fileprivate func end(from start: MonotonicInstant) -> MonotonicInstant? {
    if action.span == .event { return start }
    return duration > .zero ? start + duration : nil
  }
}

/// One time that a fault affects one device. The same in every run with the same seed, whatever else is in the run, so
/// that a plan can name those that it keeps.
package struct FaultOccurrence: Hashable, Sendable {
  /// The name of the fault.
  package let fault: String
  package let fleet: String
  /// The place of the device in its fleet.
  package let index: Int
  /// Counted from 0 for each fault and device, those included that find the device elsewhere.
  package let ordinal: Int
  package let start: MonotonicInstant
  /// `start` for an event, nil for what lasts until everything is healed.
  package let end: MonotonicInstant?
  package let effects: FaultEffects

  package init(
    fault: String, fleet: String, index: Int, ordinal: Int, start: MonotonicInstant, end: MonotonicInstant?,
    effects: FaultEffects = []
  ) {
    self.fault = fault
    self.fleet = fleet
    self.index = index
    self.ordinal = ordinal
    self.start = start
    self.end = end
    self.effects = effects
  }
}

extension ListedOccurrence {
  /// So that the same happens when it is listed.
  package init(_ occurrence: FaultOccurrence) {
    self.init(
      fleet: occurrence.fleet, member: occurrence.index,
      start: occurrence.start - MonotonicInstant(nanoseconds: 0), number: occurrence.ordinal)
  }
}

/// What a chance of a fault is for. Draws follow from the fault's name and the device alone: taking a fault or a device
/// away changes no other.
enum FaultDraw: UInt64 {
  case selection, arrivals, absence, toxicity, request, delay, poison

  func stream(_ fault: String, seed: UInt64, device: UInt64, n: UInt64 = 0) -> RandomStream {
    // The upper bit keeps clear of the concerns of the world.
    let concern = 1 << 63 | (FNV1a.hash(fault) & ~0xF) | rawValue
    return RandomStream(seed: seed, device: device, concern: concern, n: n)
  }
}
