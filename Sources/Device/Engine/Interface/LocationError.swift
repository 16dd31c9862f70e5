/// Why there is no position.
package enum LocationError: Error, CaseIterable, Sendable {
  case unknown, permissionDenied, network, backgroundWithWhenInUse, servicesDisabled, noFix, timeout, cancelled

  /// The code of the cross-platform documents (SDK §4.6). They have none for services that are switched off.
  package var code: Int {
    switch self {
    case .unknown, .servicesDisabled, .noFix: 0
    case .permissionDenied: 1
    case .network: 2
    case .backgroundWithWhenInUse: 3
    case .timeout: 408
    case .cancelled: 499
    }
  }

  /// The code of iOS since version 5 (TSLocationError).
  package var nativeCode: Int {
    switch self {
    case .unknown, .network: 0
    case .permissionDenied, .backgroundWithWhenInUse: 401
    case .servicesDisabled: 503
    case .noFix: 404
    case .timeout: 408
    case .cancelled: 499
    }
  }
}
