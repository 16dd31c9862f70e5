package import Base

/// How devices connect.
package struct TargetConnections: Equatable, Sendable {
  package var policy = ConnectionPolicy.mobile
  package var keepAlive = Nanoseconds.seconds(300)
  package var http = HTTPChoice.version11
  package var sourceAddresses = SourceAddressRule.auto

  package init() {}
}

extension TargetConnections: ScenarioSection {
  static let table = Table<TargetConnections>(
    "connections", "How devices connect.",
    [
      .key("policy", \.policy, .choice, "Whether each device has connections of its own."),
      .key("keepAlive", \.keepAlive, .duration, "How long an idle connection is kept."),
      .key("http", \.http, .choice, "The version of HTTP."),
      .key("sourceAddresses", \.sourceAddresses, .choice, "From which addresses connections come."),
    ])
}
