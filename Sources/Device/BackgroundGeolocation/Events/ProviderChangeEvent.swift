import Contract

/// What the device may and can locate with.
public struct ProviderChangeEvent: Hashable, Sendable {
  /// Whether location services are on and the app may use them.
  public let enabled: Bool
  /// What the user has allowed.
  public let status: CLAuthorizationStatus
  /// Whether positions of Wi-Fi and cells can be had.
  public let network: Bool
  /// Whether positions of satellites can be had.
  public let gps: Bool
  /// Whether the place is the accurate one.
  public let accuracyAuthorization: CLAccuracyAuthorization

  init(_ provider: ProviderState) {
    enabled = provider.isEnabled
    // Android's "denied for good" has no counterpart on iOS.
    status = CLAuthorizationStatus(rawValue: provider.authorizationStatus) ?? .denied
    network = provider.hasNetwork
    gps = provider.hasGPS
    accuracyAuthorization = CLAccuracyAuthorization(rawValue: provider.accuracyAuthorization) ?? .fullAccuracy
  }
}
