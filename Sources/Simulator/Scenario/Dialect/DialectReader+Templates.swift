import Base
import Contract

/// Invalid templates.
extension DecodingContext {
  /// Rejects templates with which the SDK logs an error for each record and uploads the default schema (SDK §7.5.1), which
  /// the author of a dialect does not intend.
  mutating func judgeTemplates(of dialect: Dialect, _ document: JSON5Value) {
    var device = Configuration(platform: .ios)
    _ = device.apply(DevicePlaceholders.example.fill(dialect.app.document))
    let persistence = device.persistence
    var style = RecordStyle.of(device.platform)
    style.timestampFormat = persistence.timestampFormat
    for (key, text, kind) in [
      ("locationTemplate", persistence.locationTemplate, RecordTemplate.Kind.location),
      ("geofenceTemplate", persistence.geofenceTemplate, .geofence),
    ] {
      let swapped = TemplateFieldPaths(text, kind: kind).flatMap(\.swappedPlace)
      guard let problem = RecordTemplate.problem(in: text, kind: kind, style, of: .usual) ?? swapped else { continue }
      let app = document["app"]
      let grouped = app?["persistence"]?[key]
      let position = (grouped ?? app?[key])?.position ?? document.position
      inside(grouped == nil ? "app.\(key)" : "app.persistence.\(key)") { context in
        context.refuse(.contradiction, position, problem.cause, remedy: problem.remedy)
      }
    }
  }
}

extension TemplateFieldPaths {
  /// A latitude under the name of a longitude, or the reverse, which no backend could detect.
  fileprivate var swappedPlace: TemplateProblem? {
    for place in places {
      guard case .member(let name)? = place.steps.last else { continue }
      let key = name.lowercased()
      if place.field == "coords.latitude", key.hasPrefix("lon") || key == "lng" {
        return TemplateProblem(cause: "'\(name)' gets the latitude", remedy: "write <%= longitude %> there")
      }
      if place.field == "coords.longitude", key.hasPrefix("lat") {
        return TemplateProblem(cause: "'\(name)' gets the longitude", remedy: "write <%= latitude %> there")
      }
    }
    return nil
  }
}

extension LocationRecord {
  /// A record with a value for every tag.
  fileprivate static var usual: LocationRecord {
    let time = WallInstant(millisecondsSince1970: 1_767_268_800_123)
    var coords = Coordinates(latitude: 45.5190912, longitude: -116.2972148)
    (coords.accuracy, coords.speed, coords.heading, coords.altitude) = (4.5, 13.89, 271.5, 812.4)
    var record = LocationRecord(
      uuid: UUID128(high: 0x3F25_04E0_4F89_41D3, low: 0x9A0C_0305_E82C_3301), timestamp: time, isMoving: true,
      odometer: 507.54, coords: coords, activity: Activity(.inVehicle, confidence: 92),
      battery: Battery(level: 0.42, isCharging: false))
    record.recordedAt = time
    record.event = .motionchange
    record.geofence = GeofenceTrigger(identifier: "home", action: .enter, timestamp: time)
    return record
  }
}
