package import Contract

/// Which SDK a device runs.
package enum SDKProfile: String, CaseIterable, Sendable {
  case android5 = "android-5.1"
  case ios5 = "ios-5.1"

  package var platform: DevicePlatform {
    switch self {
    case .android5: .android
    case .ios5: .ios
    }
  }
}
