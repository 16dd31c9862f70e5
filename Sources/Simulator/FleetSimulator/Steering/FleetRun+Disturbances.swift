import Base
import Oracle
import Scenario
import World

/// Acts that are faults: they are recorded as faults, and begin like faults, in a turn of each device.
extension FleetRun {
  func disturb(_ act: RunAct, at instant: MonotonicInstant) throws(RunActError) -> String {
    var fault = Fault(name: newFaultName, start: spanOfRun(instant), action: .network("none"))
    let words: (_ phones: Int) -> String
    switch act {
    case .dropNetwork(let drop):
      fault.action = .network(drop.network)
      fault.duration = drop.duration
      (fault.selection.fleet, fault.selection.place) = (drop.fleet, drop.place)
      words = { _ in "network \(drop.network)" }
    case .expireTokens(let fleet):
      var authorization = AuthorizationFault()
      authorization.expireAllAccessTokens = true
      fault.action = .authorization(authorization)
      fault.selection.fleet = fleet
      words = { _ in "access tokens expire" }
    case .killApps(let kill):
      var lifecycle = LifecycleFault()
      lifecycle.terminate = true
      fault.action = .lifecycle(lifecycle)
      fault.selection.fleet = kill.fleet
      words = { $0 == 1 ? "1 app is closed" : "\($0) apps are closed" }
      switch kill.amount {
      case .share(let share): fault.selection.fraction = share
      case .count(let count):
        let chosen = choose(count, of: kill.fleet, for: fault.name, at: instant)
        guard !chosen.isEmpty else {
          throw RunActError("killApps", "no phone is present now", remedy: "wait for phones, or add some")
        }
        (fault.start, fault.selection) = (nil, FaultSelection())
        fault.occurrences = chosen
      }
    case .addPhones, .removePhones, .changeRate, .pause, .resume, .stop, .abort:
      preconditionFailure("no fault")
    }
    steering?.note(.fault(fault))
    return "\(words(add(fault, at: instant))) (fault '\(fault.name)')"
  }

  /// A name that no fault of the scenario has.
  private var newFaultName: String {
    var number = 1
    while shared.faults.faults.contains(where: { $0.name == "act-\(number)" }) { number += 1 }
    return "act-\(number)"
  }

  /// Chooses among the phones that are present in these whole fleets, by draws that depend on their names: the
  /// same in each shard.
  private func choose(
    _ count: Int, of only: String?, for fault: String, at instant: MonotonicInstant
  ) -> [ListedOccurrence] {
    var lots: [(lot: UInt64, fleet: String, member: Int)] = []
    for fleet in setup.fleets where only.map({ $0 == fleet.name }) ?? true {
      let members = sharedFleets.first { $0.setup.name == fleet.name }?.members(at: instant) ?? []
      for member in members {
        var stream = FaultDraw.selection.stream(fault, seed: setup.seed, device: fleet.key(of: member))
        lots.append((stream.u64(), fleet.name, member))
      }
    }
    lots.sort { ($0.lot, $0.member) < ($1.lot, $1.member) }
    return lots.prefix(count).map {
      ListedOccurrence(fleet: $0.fleet, member: $0.member, start: spanOfRun(instant), number: 0)
    }
  }

  /// Adds a fault; returns the number of phones with a running app that it may affect.
  private func add(_ fault: Fault, at instant: MonotonicInstant) -> Int {
    let place = shared.faults.append(fault, in: setup.radio)
    shared.markAct(fault.name, from: spanOfRun(instant), until: spanOfRun(instant) + fault.duration)
    // In real time a turn of every phone would be expensive, and need not be repeatable.
    let isSelective = shared.transport != nil
    var running = 0
    for number in devices.indices {
      if isSelective, let area = fault.selection.place, !area.contains(devices[number].body.position(at: instant)) {
        continue
      }
      guard devices[number].add(fault: place, in: shared), devices[number].life.isInstalled else { continue }
      if devices[number].life.isPresent, devices[number].life.isDownUntil == nil { running += 1 }
      hasten(number, to: instant)
    }
    return running
  }
}
