/// Motions that every scenario may use without declaring them.
enum MotionPreset {
  static let names = document.memberNames

  /// As a scenario would write them.
  static let document: JSON5Value = {
    do throws(ScenarioProblem) { return try JSON5Reader.read(text) } catch {
      preconditionFailure("the presets are JSON5")
    }
  }()

  private static let text = """
    {
      driving: {
        speed: { model: "idm", desired: "50km/h", accel: 1.4, brake: 2 },
        gps: { model: "ornstein-uhlenbeck", sigma: "4m", tau: "45s" },
        activity: { in_vehicle: 0.9, unknown: 0.08, still: 0.02 },
      },
      walking: {
        speed: { model: "constant", mean: "1.35m/s", cv: 0.15 },
        gps: { model: "ornstein-uhlenbeck", sigma: "6m", tau: "90s" },
        activity: { on_foot: 0.92, still: 0.08 },
      },
      cycling: {
        speed: { model: "idm", desired: "18km/h", accel: 0.8, brake: 1.5 },
        gps: { model: "ornstein-uhlenbeck", sigma: "5m", tau: "60s" },
        activity: { on_bicycle: 0.88, unknown: 0.1, still: 0.02 },
      },
    }
    """
}
