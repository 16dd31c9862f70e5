/// The two mobile systems whose SDKs differ in defaults, limits and keys.
package enum DevicePlatform: String, CaseIterable, Sendable {
  case ios = "iOS"
  case android = "Android"
}
