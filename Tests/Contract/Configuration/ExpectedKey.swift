import Contract

/// What the reference says about one key, written down independently of the product's table.
struct ExpectedKey {
  let path: String
  /// Names outside the groups, the one that the state repeats first.
  let flat: [String]
  /// JSON texts; nil when the key is not set by default.
  let iosDefault: String?
  let androidDefault: String?
  let platform: DevicePlatform?
  /// JSON texts of two other valid values.
  let samples: (String, String)

  init(
    _ path: String, _ value: String?, android: String? = nil, only platform: DevicePlatform? = nil,
    flat: [String]? = nil, _ one: String, _ two: String
  ) {
    self.path = path
    self.flat = flat ?? [String(path.split(separator: ".").last ?? "")]
    iosDefault = value
    androidDefault = android ?? value
    self.platform = platform
    samples = (one, two)
  }
}
