package import Contract
package import JSON

extension Scenario {
  /// How the app of a fleet configures the SDK: the SDK's defaults, then `sdk.config`, then the fleet's own `sdk.config`
  /// and `config`. What a device persists and what commands bring later goes over it.
  package func configuration(of fleet: FleetTraits) -> Configuration {
    let profile = fleet.sdk.profile ?? sdk.profile ?? .android5
    var configuration = Configuration(platform: profile.platform)
    for document in documents(of: fleet) { _ = configuration.apply(document) }
    return configuration
  }

  /// As the SDK of a fleet behaves where its documents and real devices differ.
  package func behaviour(of fleet: FleetTraits) -> SDKBehaviour { fleet.sdk.behaviour ?? sdk.behaviour ?? .observed }

  /// What the app of a fleet says to the SDK, one after the other.
  package func documents(of fleet: FleetTraits) -> [JSONValue] {
    [sdk.configuration, fleet.sdk.configuration, fleet.configuration].map(\.document)
  }

  /// The network of that name, declared or preset. Names were checked when the scenario was read.
  package func network(named name: String) -> Network? {
    (networks + Network.presets).first { $0.name == name }?.value
  }
}
