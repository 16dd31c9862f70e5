/// Longitudes go round.
package enum Longitude {
  /// How far one longitude is east of another by the shorter way, −180 ..< 180.
  package static func difference(_ longitude: Double, _ reference: Double) -> Double {
    let difference = longitude - reference
    return difference >= 180 ? difference - 360 : difference < -180 ? difference + 360 : difference
  }
}
