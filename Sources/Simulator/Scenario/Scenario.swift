package import Contract
package import JSON

/// The content of a scenario file, validated as far as the file alone permits.
package struct Scenario: Equatable, Sendable {
  package var name = ""
  package var seed: UInt64 = 1
  package var clock = Clock()
  package var target = Target()
  package var sdk = SDK()
  package var routes: [Named<DeclaredRoute>] = []
  package var motions: [Named<DeclaredMotion>] = []
  package var geofences: [Named<GeofenceSet>] = []
  package var networks: [Named<Network>] = []
  package var fleets: [Named<Fleet>] = []
  package var faults: [Fault] = []
  /// The acts, in order of time.
  package var acts: [PlannedAct] = []
  /// Requests that are sent in place of fleets.
  package var requests: [WrittenRequest] = []
  package var checks: [Named<Condition>] = []
  package var thresholds: [MetricThresholds] = []
  package var invariants = InvariantSelection()
  package var coverage = Coverage()
  package var outputs: [Output] = []
  /// The version of the language.
  private var version = 1

  package init() {}
}

extension Scenario: ScenarioSection {
  static let table = Table<Scenario>(
    "scenario", "A simulation scenario: devices, movement, networks, target server, faults, and pass criteria.",
    [
      .optional("$schema", \.schema, .text, "The schema, for editors; `rollingroad schema` prints it."),
      .required("version", \.version, .integer(1...1), "The version of this language: 1."),
      .required("name", \.name, .text, "Name of the scenario in reports."),
      .optional("description", \.schema, .text, "One sentence that describes the scenario."),
      .key("seed", \.seed, .seed, "Random seed of the run."),
      .key("clock", \.clock, .section(), "How time passes."),
      .key("target", \.target, .section(), "The server under test."),
      .key("sdk", \.sdk, .section(), "SDK version and configuration of the devices."),
      .key("routes", \.routes, .map(of: .route), "Where devices move, by name."),
      .key("motion", \.motions, .map(of: .section()), "Movement and sensor errors, by name."),
      .key("geofences", \.geofences, .map(of: .geofences), "Sets of geofences, by name."),
      .key("networks", \.networks, .map(of: .network), "Networks, by name."),
      .key("fleets", \.fleets, .map(of: .fleet), "Groups of identical devices, by name."),
      .key(
        "requests", \.requests, .list(of: .request),
        "Requests to send as they stand, instead of fleets: what `conform` and `proxy` write, to be sent again."),
      .key("faults", \.faults, .faults, "Faults: what fails, on which devices, and when."),
      .key(
        "acts", \.acts, .list(of: .act),
        "Changes of devices and rates during the run, in order of time; the control room writes them."),
      .key("checks", \.checks, .map(of: .condition()), "Conditions that every answer must meet, by name."),
      .key("thresholds", \.thresholds, .thresholds, "Limits for metrics of the run."),
      .key("invariants", \.invariants, .section(), "Which invariants are checked."),
      .key("coverage", \.coverage, .section(), "Situations that must occur over several seeds."),
      .key("outputs", \.outputs, .list(of: .output), "Additional outputs besides those of `--out`."),
    ])

  /// For editors; has no effect.
  private var schema: String? {
    get { nil }
    set {}
  }
}

extension ValueCodec where Value == UInt64 {
  /// A number, or a text with up to 64 bits, `"0x5EED2026"`.
  fileprivate static var seed: ValueCodec {
    let words = "a whole number of at most 64 bits, as in 42 or \"0x5EED2026\""
    let text = ValueSchema.text(pattern: "^(0x[0-9A-Fa-f]{1,16}|[0-9]{1,20})$", words: words)
    return ValueCodec(.anyOf([.integer(0...Int64.max), text]), show: { .integer(Int64(clamping: $0)) }) {
      value, context in
      switch value.content {
      case .integer(let number) where number >= 0: return UInt64(number)
      case .string(let text):
        let digits = text.hasPrefix("0x") ? text.dropFirst(2) : text[...]
        let isPlain = digits.utf8.allSatisfy { $0 != 0x2B && $0 != 0x2D }
        if isPlain, let seed = UInt64(digits, radix: text.hasPrefix("0x") ? 16 : 10) { return seed }
      case .null, .bool, .integer, .double, .array, .object: break
      }
      context.refuse(value, expected: words)
      return nil
    }
  }
}

extension Scenario {
  /// Returns the configuration of a fleet's app: the SDK's defaults, then `sdk.config`, then the fleet's own `sdk.config` and
  /// `config`. Saved state and commands override it.
  package func configuration(of fleet: FleetTraits) -> Configuration {
    let profile = fleet.sdk.profile ?? sdk.profile ?? .android5
    var configuration = Configuration(platform: profile.platform)
    for document in documents(of: fleet) { _ = configuration.apply(document) }
    return configuration
  }

  /// Returns the SDK behaviour of a fleet, where documents and real devices differ.
  package func behaviour(of fleet: FleetTraits) -> SDKBehaviour { fleet.sdk.behaviour ?? sdk.behaviour ?? .observed }

  /// Returns the configurations that a fleet's app passes to the SDK, in order.
  package func documents(of fleet: FleetTraits) -> [JSONValue] {
    [sdk.configuration, fleet.sdk.configuration, fleet.configuration].map(\.document)
  }

  /// Returns the declared or preset network of that name. Names are validated when the scenario is read.
  package func network(named name: String) -> Network? {
    (networks + Network.presets).first { $0.name == name }?.value
  }
}

/// A scenario that comes with the product. The files are in the folder BuiltIn.
package struct BuiltInScenario: Sendable {
  package let name: String
  /// The content of the file.
  package let text: String

  private init(_ name: String, _ bytes: [UInt8]) {
    self.name = name
    text = String(decoding: bytes, as: UTF8.self)
  }

  /// In order of complexity.
  package static let all: [BuiltInScenario] = [
    BuiltInScenario("first-drive", PackageResources.first_drive_json5),
    BuiltInScenario("city-25", PackageResources.city_25_json5),
    BuiltInScenario("commuters", PackageResources.commuters_json5),
    BuiltInScenario("tunnel-exit", PackageResources.tunnel_exit_json5),
    BuiltInScenario("isp-outage-2h", PackageResources.isp_outage_2h_json5),
    BuiltInScenario("deploy-503", PackageResources.deploy_503_json5),
    BuiltInScenario("token-expiry-wave", PackageResources.token_expiry_wave_json5),
    BuiltInScenario("token-dead", PackageResources.token_dead_json5),
    BuiltInScenario("key-rotation", PackageResources.key_rotation_json5),
    BuiltInScenario("identity-outage", PackageResources.identity_outage_json5),
    BuiltInScenario("monday-0700", PackageResources.monday_0700_json5),
    BuiltInScenario("stadium", PackageResources.stadium_json5),
    BuiltInScenario("boot-after-blackout", PackageResources.boot_after_blackout_json5),
    BuiltInScenario("disk-full", PackageResources.disk_full_json5),
    BuiltInScenario("poison-record", PackageResources.poison_record_json5),
  ]

  /// Returns a built-in scenario; nil without one of that name.
  package static func named(_ name: String) -> BuiltInScenario? { all.first { $0.name == name } }

  /// The description of its purpose.
  package var description: String {
    do throws(ScenarioError) {
      guard case .string(let text)? = try JSON5Reader.read(text)["description"]?.content else { return "" }
      return text
    } catch {
      preconditionFailure("a built-in scenario is JSON5")
    }
  }
}
