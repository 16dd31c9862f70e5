import Base
import Contract
import Scenario
import World

extension RunSetup {
  static func fleet(
    _ name: String, _ fleet: Fleet, of scenario: Scenario, _ table: RadioTable, _ movements: inout MovementBuilder,
    _ problems: inout [String]
  ) -> FleetSetup? {
    let traits = fleet.traits
    guard let motion = scenario.motion(named: scenario.motionName(of: traits)),
      let built = movements.build(traits, &problems)
    else { return nil }
    let schedule = schedule(name, fleet, on: built.ground, built.movement, of: scenario)
    let life = traits.lifecycle
    var setup = FleetSetup(
      name: name, devices: schedule.devices, movement: schedule.movement,
      radio: radioModel(named: traits.network, of: scenario, table, &problems),
      habits: HabitRates(
        killsPerHour: life.terminate.perHour, rebootsPerHour: life.reboot.perHour,
        relaunchSeconds: life.terminate.relaunchAfter),
      configuration: scenario.configuration(of: traits))
    setup.receiver = receiver(motion.gps)
    setup.behaviour = scenario.behaviour(of: traits)
    setup.presence = schedule.presence
    setup.droppedTrips = schedule.droppedTrips
    setup.members = traits.members.map { members in members.filter { $0 < schedule.devices } }
    setup.battery = World.Battery(
      start: min(life.battery.start[0], life.battery.start[1])...max(life.battery.start[0], life.battery.start[1]),
      drainPerHour: life.battery.drainPerHour)
    if let fences = traits.geofences {
      setup.geofences = geofences(named: fences, of: scenario, over: built.place)
    }
    setup.startsGeofencesOnly = traits.mode == .geofences
    let placeholders = DevicePlaceholders(fleet: name, index: 0, seed: scenario.seed)
    setup.tags = traits.tags.map { FleetSetup.Tag(name: $0.name, value: placeholders.fill($0.value)) }
    let documents = scenario.documents(of: traits)
    if documents.contains(where: { DevicePlaceholders.stand(in: $0) }) { setup.documents = documents }
    return setup
  }
}
