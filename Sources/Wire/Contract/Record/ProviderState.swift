/// The `provider` of a record: what the device may and can locate with.
package struct ProviderState: Equatable, Sendable {
  package let isEnabled: Bool
  /// The SDK's AuthorizationStatus: 0 not determined, 1 restricted, 2 denied, 3 always, 4 when in use, 5 denied for good.
  package let authorizationStatus: Int
  package let hasGPS: Bool
  package let hasNetwork: Bool
  /// 0 full, 1 reduced.
  package let accuracyAuthorization: Int

  package init(
    isEnabled: Bool, authorizationStatus: Int, hasGPS: Bool, hasNetwork: Bool, accuracyAuthorization: Int
  ) {
    self.isEnabled = isEnabled
    self.authorizationStatus = authorizationStatus
    self.hasGPS = hasGPS
    self.hasNetwork = hasNetwork
    self.accuracyAuthorization = accuracyAuthorization
  }
}
