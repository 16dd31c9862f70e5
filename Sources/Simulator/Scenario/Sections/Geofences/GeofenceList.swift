package import Contract

/// Geofences one by one.
package struct GeofenceList: Equatable, Sendable {
  package var fences: [Geofence] = []

  package init() {}
}

extension GeofenceList: ScenarioSection {
  static let table = Table<GeofenceList>(
    "geofence-list", "Geofences one by one.",
    [.required("fences", \.fences, .list(of: .geofence), "As an app adds them, under the SDK's own names.")])
}

extension Form where Value == Geofence {
  static var geofence: Form {
    Form(.open("A geofence under the SDK's own names: identifier, and latitude, longitude, radius or vertices.")) {
      value, reading in
      do throws(FieldError) { return try Geofence(definition: value.json) } catch {
        reading.refuse(.wrongType, value.position, "\(error)", remedy: "write a geofence as an app adds it")
        return nil
      }
    }
  }
}
