import Base
import Database
import Oracle
import Scenario

/// The acts of a person on the run. An act is performed when all turns before its instant are over and none at it or after it
/// has begun: a run with the same act in its scenario performs it between the same turns.
extension FleetRun {
  /// An act to be performed, and the submission that it completes.
  struct DueAct {
    let instant: MonotonicInstant
    let change: PlannedAct.Change
    /// The number of the submitted act that this one completes, and its result.
    var settles: (number: Int, words: String)?
  }

  /// The number of phones that come or go at once in a run by the machine's clock, which has turns for others in between.
  private static let phonesAtOnce = 500
  private static let chunkInterval = Nanoseconds.milliseconds(15)
  /// How long a view and a pause wait for an event, by the machine's clock.
  static let pauseMilliseconds = 50

  func spanOfRun(_ instant: MonotonicInstant) -> Nanoseconds { instant - MonotonicInstant(nanoseconds: 0) }

  /// The instant of an act that is performed now: after all past events, before all future ones, and at a whole millisecond
  /// if there is one in between. Successive acts share an instant.
  private var actInstant: MonotonicInstant {
    let millisecond = MonotonicInstant(nanoseconds: (now.nanoseconds / 1_000_000 + 1) * 1_000_000)
    guard let next = queue.first?.instant, next > now else { return millisecond }
    return min(millisecond, next)
  }

  /// Performs the planned acts that are due before the next turn.
  func doDueActs(before limit: MonotonicInstant, upTo instant: MonotonicInstant) {
    while phase == .driving, let act = dueActs.first, act.instant <= instant, act.instant < limit,
      act.instant < drivesEnd
    {
      dueActs.removeFirst()
      perform(act.change, at: act.instant)
      if let (number, words) = act.settles { steering?.settle(number, .applied(words), at: act.instant) }
    }
  }

  /// Performs the submitted acts, in order: the next one when all parts of the one before it have taken effect.
  func takeActs() {
    guard let steering else { return }
    while !dueActs.contains(where: { $0.settles != nil }), let (number, act) = steering.takeAct() {
      let instant = actInstant
      doDueActs(before: drivesEnd, upTo: instant)
      do throws(RunActError) {
        if let words = try take(act, number, at: instant) { steering.settle(number, .applied(words), at: instant) }
      } catch {
        steering.settle(number, .refused(error), at: instant)
      }
    }
  }

  /// Returns the result; nil when it follows later.
  private func take(_ act: RunAct, _ number: Int, at instant: MonotonicInstant) throws(RunActError) -> String? {
    switch act {
    case .pause, .resume:
      isPaused = act == .pause && !isInterrupted
      steering?.pause(isPaused)
      publishNow()
      return isPaused ? "paused at \(now.clockText)" : "resumed at \(now.clockText)"
    case .abort:
      if phase == .driving, instant < drivesEnd { return end(.abort, at: instant) }
      isAborted = true
      return "the run ends"
    case .stop, .addPhones, .removePhones, .changeRate, .dropNetwork, .expireTokens, .killApps: break
    }
    guard phase == .driving, !isAborted, instant < drivesEnd else {
      throw RunActError(act.name, "the drives are over", remedy: "abort ends the run; everything else needs a new one")
    }
    switch act {
    case .stop: return end(.stop, at: instant)
    case .addPhones(let count, let fleet):
      try requireRoom(for: 1, plus: count, fleet, act)
      begin(count, number, at: instant, "\(count) phones join \(fleet)") {
        .addPhones(PhoneCount(fleet: fleet, count: $0))
      }
      return nil
    case .removePhones(let count, let fleet):
      let present = phonesPresent(in: fleet, at: instant)
      guard count <= present else {
        throw RunActError(
          "removePhones.count", "\(fleet) has \(present) phones now", remedy: "write at most \(present)")
      }
      begin(count, number, at: instant, "\(count) phones leave \(fleet)") {
        .removePhones(PhoneCount(fleet: fleet, count: $0))
      }
      return nil
    case .changeRate(let factor, let fleet):
      try requireRoom(for: factor, plus: 0, fleet, act)
      perform(.changeRate(RateFactor(fleet: fleet, factor: factor)), at: instant, isNew: true)
      return "from now on"
    case .dropNetwork, .expireTokens, .killApps: return try disturb(act, at: instant)
    case .pause, .resume, .abort: preconditionFailure("these are done above")
    }
  }

  private func end(_ end: RunEnd, at instant: MonotonicInstant) -> String {
    perform(.end(end), at: instant, isNew: true)
    return end == .stop ? "the drives end, and the queues drain" : "the run ends"
  }

  /// Performs an act in parts, the first one now. In virtual time, and while the run is paused, it is one part, as no
  /// other turn is due.
  private func begin(
    _ count: Int, _ number: Int, at instant: MonotonicInstant, _ words: String,
    _ change: (Int) -> PlannedAct.Change
  ) {
    var acts: [DueAct] = []
    let isDivided = shared.transport != nil && !isPaused
    var rest = count
    while rest > 0 {
      let part = isDivided ? min(rest, FleetRun.phonesAtOnce) : rest
      rest -= part
      let due = instant + FleetRun.chunkInterval * Int64(acts.count)
      acts.append(DueAct(instant: due, change: change(part), settles: rest == 0 ? (number, words) : nil))
    }
    for act in acts {
      // Acts after the end of the drives are dropped.
      guard act.instant < drivesEnd else {
        steering?.settle(number, .applied(words + ", until the drives end"), at: instant)
        break
      }
      steering?.note(.act(PlannedAct(at: spanOfRun(act.instant), act.change)))
      let place = dueActs.firstIndex { $0.instant > act.instant } ?? dueActs.endIndex
      dueActs.insert(act, at: place)
    }
    doDueActs(before: drivesEnd, upTo: instant)
  }

  /// Performs a change. `isNew`: the act is not in the plan yet.
  func perform(_ change: PlannedAct.Change, at instant: MonotonicInstant, isNew: Bool = false) {
    if isNew { steering?.note(.act(PlannedAct(at: spanOfRun(instant), change))) }
    shared.markAct(change.words, from: spanOfRun(instant), until: spanOfRun(instant))
    switch change {
    case .addPhones(let phones):
      changePresence(of: phones.fleet, at: instant) {
        $0.steered(at: instant, factor: 1, shift: Double(phones.count), of: $1)
      }
    case .removePhones(let phones):
      changePresence(of: phones.fleet, at: instant) {
        $0.steered(at: instant, factor: 1, shift: -Double(phones.count), of: $1)
      }
    case .changeRate(let rate):
      guard let fleet = sharedFleets.first(where: { $0.setup.name == rate.fleet }) else { return }
      guard let trips = fleet.trips else {
        return changePresence(of: rate.fleet, at: instant) {
          $0.steered(at: instant, factor: rate.factor, shift: 0, of: $1)
        }
      }
      fleet.replan(trips.changed(by: rate.factor, at: instant))
      for number in numbers(of: rate.fleet) {
        let next = devices[number].changeErrands(at: instant, in: shared)
        if !devices[number].life.isInstalled {
          queue.update(number, to: next)
        } else if let next {
          hasten(number, to: next)
        }
      }
    case .end(.stop): drivesEnd = instant
    case .end(.abort): (drivesEnd, isAborted) = (instant, true)
    }
  }

  private func changePresence(
    of name: String, at instant: MonotonicInstant, _ change: (Presence, Int) -> Presence
  ) {
    guard let fleet = sharedFleets.first(where: { $0.setup.name == name }) else { return }
    fleet.presence = change(fleet.presence, fleet.setup.devices)
    for number in numbers(of: name) {
      devices[number].changePresencePlan(at: instant, in: shared)
      guard let next = devices[number].life.presenceChange else {
        if !devices[number].life.isInstalled { queue.update(number, to: nil) }
        continue
      }
      if devices[number].life.isInstalled { hasten(number, to: next) } else { queue.update(number, to: next) }
    }
  }

  /// Moves the next turn of a device to an instant, unless it is earlier.
  func hasten(_ device: Int, to instant: MonotonicInstant) {
    queue.update(device, to: queue.instant(of: device).map { min($0, instant) } ?? instant)
  }

  func numbers(of fleet: String) -> Range<Int> {
    setup.fleets.firstIndex { $0.name == fleet }.map { fleets[$0] } ?? 0..<0
  }

  /// Returns the number of present phones of the whole fleet, including those that other processes simulate.
  func phonesPresent(in name: String, at instant: MonotonicInstant) -> Int {
    sharedFleets.first { $0.setup.name == name }?.members(at: instant).count ?? 0
  }

  private func requireRoom(
    for factor: Double, plus count: Int, _ name: String, _ act: RunAct
  ) throws(RunActError) {
    guard let fleet = sharedFleets.first(where: { $0.setup.name == name }) else { return }
    let places = fleet.setup.devices + fleet.setup.room
    let needed: Int
    if let trips = fleet.trips {
      needed = trips.changed(by: factor, at: actInstant).assignment.trips.count
    } else {
      needed =
        fleet.presence.steered(at: actInstant, factor: factor, shift: Double(count), of: fleet.setup.devices).peak
    }
    guard needed <= places else {
      throw RunActError(
        act.name, "\(name) would have \(needed) phones, and this run is limited to \(places)",
        remedy: count > 0 ? "add at most \(max(0, count - (needed - places)))" : "write a smaller factor")
    }
  }
}

extension PlannedAct.Change {
  /// The text of a mark in the timeline.
  var words: String {
    switch self {
    case .addPhones(let phones): "\(phones.count) phones come to \(phones.fleet)"
    case .removePhones(let phones): "\(phones.count) phones leave \(phones.fleet)"
    case .changeRate(let rate): "\(rate.fleet) × \((rate.factor * 1_000).rounded() / 1_000)"
    case .end(.stop): "stop"
    case .end(.abort): "abort"
    }
  }
}
