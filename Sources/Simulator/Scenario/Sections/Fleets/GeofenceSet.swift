package import Contract

/// The geofences of a fleet's devices.
package enum GeofenceSet: Equatable, Sendable {
  case grid(GeofenceGrid)
  /// Individual geofences, as an app adds them.
  case list(GeofenceList)
}

extension ValueCodec where Value == GeofenceSet {
  static var geofences: ValueCodec {
    variants(tag: "type", [Variant("grid") { .grid($0) }, Variant("list") { .list($0) }])
  }
}

/// Circles spread evenly over the area of the routes.
package struct GeofenceGrid: Equatable, Sendable {
  package var count = 100
  package var radiusMetres = 200.0
  package var notifyOnEntry = true
  package var notifyOnExit = true
  package var notifyOnDwell = false
  package var loiteringDelayMilliseconds = 0.0

  package init() {}
}

extension GeofenceGrid: ScenarioSection {
  static let table = Table<GeofenceGrid>(
    "geofence-grid", "Circles spread evenly over the place of the routes.",
    [
      .key("count", \.count, .integer(1...100_000), "Number of geofences."),
      .key("radius", \.radiusMetres, .radius, "Their radius, more than 0; phones are unreliable below 200 m."),
      .key("notifyOnEntry", \.notifyOnEntry, .boolean, "Report entries."),
      .key("notifyOnExit", \.notifyOnExit, .boolean, "Report exits."),
      .key("notifyOnDwell", \.notifyOnDwell, .boolean, "Report dwelling."),
      .key(
        "loiteringDelay", \.loiteringDelayMilliseconds, .number(0...864e5),
        "Time inside until dwelling is reported, in milliseconds."),
    ])
}

/// Individual geofences.
package struct GeofenceList: Equatable, Sendable {
  package var fences: [Geofence] = []

  package init() {}
}

extension GeofenceList: ScenarioSection {
  static let table = Table<GeofenceList>(
    "geofence-list", "Geofences one by one.",
    [.required("fences", \.fences, .geofences, "As an app adds them, under the SDK's own names.")])
}

extension ValueCodec where Value == [Geofence] {
  /// A second fence with the identifier of another would replace it.
  fileprivate static var geofences: ValueCodec {
    let list = ValueCodec.list(of: .geofence)
    return ValueCodec(list.schema) { value, context in
      guard let fences = list.read(value, &context), case .array(let items) = value.content else { return nil }
      var seen: Set<String> = []
      for (index, fence) in fences.enumerated() where !seen.insert(fence.identifier).inserted {
        context.inside("[\(index)]") {
          $0.refuse(
            .contradiction, items[index].position, "a second geofence '\(fence.identifier)'",
            remedy: "give it a unique identifier")
        }
      }
      return fences
    }
  }
}

extension ValueCodec where Value == Geofence {
  static var geofence: ValueCodec {
    ValueCodec(.open("A geofence under the SDK's own names: identifier, and latitude, longitude, radius or vertices."))
    {
      value, context in
      if case .object(let members) = value.content,
        let member = members.first(where: { !GeofenceKey.all.contains($0.key) })
      {
        context.refuse(.unknown, member.position, word: member.key, as: "key", known: GeofenceKey.all)
        return nil
      }
      do throws(FieldError) { return try Geofence(definition: value.json) } catch {
        context.refuse(.wrongType, value.position, "\(error)", remedy: "write a geofence as an app adds it")
        return nil
      }
    }
  }
}

extension ValueCodec where Value == Double {
  fileprivate static var radius: ValueCodec {
    let words = "a length above 0, as in \"250m\""
    return quantity(.length).map(words: words, show: quantity(.length).show) { $0 > 0 ? $0 : nil }
  }
}
