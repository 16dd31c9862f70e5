extension Geofence {
  /// The radius below which a platform detects crossings unreliably (SDK §15.1). Smaller ones are warned about and
  /// accepted.
  package static func leastReliableRadiusMetres(on platform: DevicePlatform) -> Double {
    switch platform {
    case .ios: 200
    case .android: 150
    }
  }

  /// Whether a warning is due. A polygon's circle follows from its corners.
  package func isUnreliablySmall(on platform: DevicePlatform) -> Bool {
    switch shape {
    case .circle(_, let radius): radius < Self.leastReliableRadiusMetres(on: platform)
    case .polygon: false
    }
  }
}
