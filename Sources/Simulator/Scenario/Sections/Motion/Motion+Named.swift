extension Scenario {
  /// The motion of that name, declared or preset. Names were checked when the scenario was read.
  package func motion(named name: String) -> Motion? {
    if let declared = motions.first(where: { $0.name == name }) { return declared.value }
    guard let preset = MotionPreset.document[name] else { return nil }
    var reading = Reading(names: DeclaredNames(in: nil))
    return Form<Motion>.section().read(preset, &reading)
  }
}
