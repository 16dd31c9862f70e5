/// Which SDK the devices run, and how their app configures it.
package struct SDK: Equatable, Sendable {
  /// Nil: Android, or what the scenario says for all fleets.
  package var profile: SDKProfile?
  /// Nil: observed, or what the scenario says for all fleets.
  package var behaviour: SDKBehaviour?
  package var configuration = SDKConfiguration()

  package init() {}
}

extension SDK: ScenarioSection {
  static let table = Table<SDK>(
    "sdk", "Which SDK the devices run. A fleet's own goes over that of the scenario.",
    [
      .optional("profile", \.profile, .choice, "The SDK's platform and version; Android when nobody says."),
      .optional(
        "behaviour", \.behaviour, .choice,
        "With the habits that logs of real devices show, or as the SDK's documents say; observed when nobody says."),
      .key("config", \.configuration, .configuration, "The app's configuration under the SDK's own names."),
    ])
}
