/// The geofences of a fleet's devices.
package enum GeofenceSet: Equatable, Sendable {
  case grid(GeofenceGrid)
  /// As an app adds them.
  case list(GeofenceList)
}

extension Form where Value == GeofenceSet {
  static var geofences: Form {
    variants(tag: "type", [Variant("grid") { .grid($0) }, Variant("list") { .list($0) }])
  }
}
