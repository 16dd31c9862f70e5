/// A scenario that comes with the product. The files stand in the folder BuiltIn, to be read and copied.
package struct BuiltInScenario: Sendable {
  package let name: String
  /// The file as it stands there.
  package let text: String

  private init(_ name: String, _ bytes: [UInt8]) {
    self.name = name
    text = String(decoding: bytes, as: UTF8.self)
  }

  /// From the simplest on.
  package static let all: [BuiltInScenario] = [
    BuiltInScenario("first-drive", PackageResources.first_drive_json5),
    BuiltInScenario("city-25", PackageResources.city_25_json5),
    BuiltInScenario("commuters", PackageResources.commuters_json5),
    BuiltInScenario("tunnel-exit", PackageResources.tunnel_exit_json5),
    BuiltInScenario("isp-outage-2h", PackageResources.isp_outage_2h_json5),
    BuiltInScenario("deploy-503", PackageResources.deploy_503_json5),
    BuiltInScenario("token-expiry-wave", PackageResources.token_expiry_wave_json5),
    BuiltInScenario("monday-0700", PackageResources.monday_0700_json5),
    BuiltInScenario("stadium", PackageResources.stadium_json5),
    BuiltInScenario("boot-after-blackout", PackageResources.boot_after_blackout_json5),
    BuiltInScenario("disk-full", PackageResources.disk_full_json5),
    BuiltInScenario("poison-record", PackageResources.poison_record_json5),
  ]

  /// Nil when there is none of that name.
  package static func named(_ name: String) -> BuiltInScenario? { all.first { $0.name == name } }

  /// The sentence on what it shows.
  package var description: String {
    do throws(ScenarioProblem) {
      guard case .string(let text)? = try JSON5Reader.read(text)["description"]?.content else { return "" }
      return text
    } catch {
      preconditionFailure("a built-in scenario is JSON5")
    }
  }
}
