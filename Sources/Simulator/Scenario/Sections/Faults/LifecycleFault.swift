package import Base

/// What is done to an app.
package struct LifecycleFault: Equatable, Sendable {
  package var terminate = false
  package var reboot = false
  /// In seconds; nil: until its user opens it again, as the fleet's lifecycle says.
  package var relaunchAfter: Distribution?

  package init() {}
}

extension LifecycleFault: ScenarioSection {
  static let table = Table<LifecycleFault>(
    "lifecycle-fault", "What is done to an app.",
    [
      .key("terminate", \.terminate, .boolean, "Its user closes it, as by a swipe."),
      .key("reboot", \.reboot, .boolean, "The phone goes off, and on again."),
      .optional("relaunchAfter", \.relaunchAfter, .distribution(InSeconds.self), "How long until it runs again."),
    ])
}
