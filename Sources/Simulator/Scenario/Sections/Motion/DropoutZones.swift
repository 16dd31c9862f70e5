/// Where there is no fix.
package enum DropoutZones: String, CaseIterable, Sendable {
  case none
  /// In the tunnels and dead zones of the city.
  case tunnels
}
