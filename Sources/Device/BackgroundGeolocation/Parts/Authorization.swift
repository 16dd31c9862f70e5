/// The permission to use positions.
public final class Authorization: Sendable {
  private let device: Device

  init(_ device: Device) { self.device = device }

  /// What the device may and can locate with now.
  public func getState() -> ProviderChangeEvent { ProviderChangeEvent(device.platform.provider) }

  /// Asks the user, and returns the answer. A `LinuxPlatform` answers what it was told by `setAuthorization`. Throws
  /// `BGGeoError` with the status as its code when the user has refused.
  public func requestPermission() async throws -> CLAuthorizationStatus {
    let status = getState().status
    switch status {
    case .authorizedAlways, .authorizedWhenInUse: return status
    case .notDetermined, .restricted, .denied:
      throw BGGeoError("location authorization was refused", code: status.rawValue)
    }
  }

  /// Asks for accurate positions for once; `purpose` is the key of the text to show. Returns what the platform was
  /// told.
  public func requestTemporaryFullAccuracy(purpose: String) async throws -> CLAccuracyAuthorization {
    getState().accuracyAuthorization
  }
}
