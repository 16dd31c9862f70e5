extension Scenario {
  /// What a fleet says, or what suits its route.
  package func motionName(of fleet: FleetTraits) -> String {
    if let motion = fleet.motion { return motion }
    switch fleet.routes.flatMap({ name in routes.first { $0.name == name }?.value }) {
    case .walk: return "walking"
    case .city(let city):
      switch city.trips {
      case .plan(.walker): return "walking"
      case .plan(.cyclist): return "cycling"
      case .plan, .markov: return "driving"
      }
    case .collection, .replay, nil: return "driving"
    }
  }

  /// The motion of that name, declared or preset. Names were checked when the scenario was read.
  package func motion(named name: String) -> Motion? {
    if let declared = motions.first(where: { $0.name == name }) { return declared.value }
    guard let preset = MotionPreset.document[name] else { return nil }
    var reading = Reading(names: DeclaredNames(in: nil))
    return Form<Motion>.section().read(preset, &reading)
  }
}
