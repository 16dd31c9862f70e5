import Base
import Scenario

extension FleetSchedule {
  /// Returns the maximum number of devices, including the changes by acts.
  func devices(under acts: [PlannedAct], of name: String) -> Int {
    var (presence, trips) = (presence, trips)
    for act in acts where act.fleet == name {
      let instant = MonotonicInstant(nanoseconds: 0) + act.start
      switch act.change {
      case .addPhones(let phones):
        presence = presence.steered(at: instant, factor: 1, shift: Double(phones.count), of: devices)
      case .removePhones(let phones):
        presence = presence.steered(at: instant, factor: 1, shift: -Double(phones.count), of: devices)
      case .changeRate(let rate):
        trips = trips?.changed(by: rate.factor, at: instant)
        presence = presence.steered(at: instant, factor: rate.factor, shift: 0, of: devices)
      case .end: break
      }
    }
    guard acts.contains(where: { $0.fleet == name }) else { return devices }
    return trips.map(\.assignment.trips.count) ?? max(devices, presence.peak)
  }
}

extension RunSetup {
  /// Reserves places for phones that may be added during the run; nil: as many as there are phones, and at least a thousand.
  /// A place only costs memory; unused ones are not counted.
  mutating func makeRoom(_ places: Int?) {
    isSteerable = true
    for index in fleets.indices {
      let old = fleets[index].devices + fleets[index].room
      let more = places ?? RunSteering.places(besides: fleets[index].devices)
      fleets[index].room += more
      // Where only some members of a fleet are simulated, further ones that make trips are not.
      guard fleets[index].members != nil, shard != nil || fleets[index].trips == nil else { continue }
      let before = fleets[..<index].reduce(0) { $0 + $1.devices }
      fleets[index].members? += (old..<old + more).filter { place in
        shard.map { $0.simulates(before + place) } ?? true
      }
    }
  }
}
