import CurlTransport
import Drive
import FleetSimulator
import Scenario

/// The place where `drive` verifies acknowledged records: `--verify`, or the administration of our own server.
struct DriveStore {
  private let server: OutsideSetup
  private let device: String

  static let remedy =
    "rollingroad drive: --strict: the source of the stored records is missing; give --verify PLACE, or --preset rollingroad for a Rolling Road server"

  init(_ values: FlagValues, _ settings: DriveSettings, isStrict: Bool) throws(UsageError) {
    var verification = TargetVerification()
    switch try VerifyFlag(values) {
    case nil: break
    case .url(let url): verification.url = url
    case .place(let place): verification.place = place
    }
    verification.quarantinedURL = values.text("quarantined")
    verification.uuids = try VerifyFlag.path(values, in: verification.url) ?? verification.uuids
    if verification.quarantinedURL != nil, verification.url == nil {
      throw UsageError("--quarantined needs --verify with a URL")
    }
    if let name = verification.unknownPlaceholder {
      throw UsageError("--verify: unknown placeholder {\(name)}; only {device} is allowed")
    }
    device = settings.deviceName
    var server = OutsideSetup(url: settings.url, isOurs: isStrict && settings.preset == .rollingroad)
    server.verification = verification
    server.transport = TransportConfiguration(values)
    server.transport.isDirect = true
    server.transport.readsEnvironment = true
    if server.isOurs { server.adminToken = values.text("admin-token") }
    self.server = server
  }

  /// Returns why it cannot be read, as far as a check before the drive shows; nil when it seems readable.
  func problem(_ variable: (String) -> String?) throws -> String? { try server.unreadablePlace(variable) }

  func look(for records: AcknowledgedRecords, unless interruption: Interruption) -> StorageCheck {
    guard server.isOurs || server.verification.effectiveMethod != nil else { return .notAsked }
    return records.look(at: server, of: device, unless: interruption)
  }
}
