internal import JSON

extension ValueCodec where Value == [Named<String>] {
  /// Paths by the names of a record's fields. Other names are rejected, because nothing would read them.
  static var recordPlaces: ValueCodec {
    let places = ValueCodec.map(of: .recordPlace)
    return ValueCodec(places.schema, show: places.show) { value, context in
      if case .object(let members) = value.content {
        for member in members where !RecordFields.has(member.key) {
          let inner = RecordFields.names.filter { $0.hasSuffix(".\(member.key)") }
          context.inside(member.key.asPathStep) {
            $0.refuse(
              .unknown, member.position, word: member.key, as: "field of a record",
              known: inner.isEmpty ? RecordFields.names : inner)
          }
        }
      }
      return places.read(value, &context)
    }
  }
}

/// The names that `verify.fields` may contain: the record's own fields, and those that stores add.
private enum RecordFields {
  static let names =
    [
      "uuid", "timestamp", "recorded_at", "age", "event", "is_moving", "odometer", "odometer_error", "mock", "sample",
      "extras", "params", "device", "device_id", "user_id",
      "coords", "activity", "battery", "geofence", "geofence_extras", "provider", "timestampMeta",
    ]
    + [
      "latitude", "longitude", "accuracy", "speed", "speed_accuracy", "heading", "heading_accuracy", "altitude",
      "altitude_accuracy", "ellipsoidal_altitude", "floor",
    ].map { "coords.\($0)" }
    + ["type", "confidence", "activities"].map { "activity.\($0)" } + ["level", "is_charging"].map { "battery.\($0)" }
    + ["identifier", "action", "timestamp", "extras"].map { "geofence.\($0)" }

  /// Fields with members whose names the app chooses, or which are not enumerated.
  private static let open = ["extras.", "params.", "geofence.extras.", "provider.", "timestampMeta."]

  static func has(_ name: String) -> Bool { names.contains(name) || open.contains { name.hasPrefix($0) } }
}
