import Base
package import Oracle
package import Scenario
import World

/// Which devices each fault affects, and when. The effect of a fault on a device is implemented elsewhere.
struct FaultPlan {
  private(set) var faults: [Fault]
  let seed: UInt64
  /// The networks of faults that change the network.
  private(set) var networks: [RadioNetwork?]
  /// For a fault that affects a number of devices: the last one that is chosen.
  private var lastChosen: [Choice?]

  /// A device and its random draw.
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
      // All of a fleet, even where only some are simulated.
      for fleet in setup.fleets where fault.concerns(fleet.name) {
        choices += (0..<fleet.devices).map { FaultPlan.choice(fault, fleet.key(of: $0), seed) }
      }
      choices.sort()
      return choices.prefix(count).last
    }
  }

  /// Adds a fault by a person, without a number of devices; returns its index.
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

  /// Returns the faults that may affect one device.
  func timeline(of index: Int, in fleet: FleetSetup) -> FaultTimeline {
    guard !faults.isEmpty else { return FaultTimeline([]) }
    return FaultTimeline(faults.indices.flatMap { spells(of: $0, index, in: fleet) })
  }

  /// Returns all listed occurrences, or the first one.
  func spells(of fault: Int, _ index: Int, in fleet: FleetSetup) -> [FaultTimeline.Spell] {
    if let listed = faults[fault].occurrences { return spells(of: fault, listed, index, fleet.name) }
    let key = fleet.key(of: index)
    guard concerns(fault, key, fleet.name), let first = spell(fault, 0, after: nil, key) else { return [] }
    return [first]
  }

  /// Returns the occurrences of a list that concern one device.
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

  /// Returns the occurrence after this one.
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

  /// Reports whether an unlisted fault finds the device in its area.
  func finds(_ spell: FaultTimeline.Spell, at place: @autoclosure () -> Coordinate) -> Bool {
    guard !spell.isListed, let area = faults[spell.fault].selection.place else { return true }
    return area.contains(place())
  }

  /// Reports whether one of a device's faults makes its app crash at this moment.
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

extension ListedOccurrence {
  /// With the parameters of a listed occurrence, so that the same happens.
  package init(_ occurrence: FaultOccurrence) {
    self.init(
      fleet: occurrence.fleet, member: occurrence.index,
      start: occurrence.start - MonotonicInstant(nanoseconds: 0), number: occurrence.ordinal)
  }
}

/// The purpose of a random draw of a fault. Draws depend on the fault's name and the device only: removing another fault or
/// device changes none.
enum FaultDraw: UInt64 {
  case selection, arrivals, absence, toxicity, request, delay, poison

  func stream(_ fault: String, seed: UInt64, device: UInt64, n: UInt64 = 0) -> RandomStream {
    // The upper bit avoids collisions with the streams of the world.
    let concern = 1 << 63 | (FNV1a.hash(fault) & ~0xF) | rawValue
    return RandomStream(seed: seed, device: device, concern: concern, n: n)
  }
}
