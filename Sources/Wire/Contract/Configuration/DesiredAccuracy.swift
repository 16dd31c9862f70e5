/// The accuracy classes behind the number `desiredAccuracy` (SDK §4.3).
package enum DesiredAccuracy: Double, CaseIterable, Sendable {
  case navigation = -2
  case high = -1
  case medium = 10
  case low = 100
  case veryLow = 1_000
  case lowest = 3_000

  /// The coarsest class that is still as good as asked for. 0 was the highest class of old Android versions.
  package init(metres: Double) {
    self =
      switch metres {
      case ...(-2): .navigation
      case ..<10: .high
      case ..<100: .medium
      case ..<1_000: .low
      case ..<3_000: .veryLow
      default: .lowest
      }
  }

  /// Satellites are used for these classes only.
  package var usesSatellites: Bool { self == .navigation || self == .high }
}
