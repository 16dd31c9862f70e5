/// How important a street is.
package enum StreetClass: Int, Comparable, Sendable {
  case local, collector, arterial

  package static func < (left: StreetClass, right: StreetClass) -> Bool { left.rawValue < right.rawValue }

  /// Every fourth line of the grid collects, every eighth, in the middle of each district, is arterial.
  static func ofLine(_ line: Int) -> StreetClass {
    switch line & 7 {
    case 4: .arterial
    case 0: .collector
    default: .local
    }
  }

  /// What may be posted there, kilometres per hour.
  var speedLimits: [Double] {
    switch self {
    case .local: [20, 30, 30]
    case .collector: [40, 50, 50]
    case .arterial: [50, 60, 70, 80]
    }
  }
}
