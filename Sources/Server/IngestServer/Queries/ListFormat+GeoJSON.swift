import JSON

extension ListFormat {
  /// A FeatureCollection (RFC 7946); the elements write features. `next` is a foreign member (§6.1).
  static func geoJSON(_ write: @escaping @Sendable (Element, inout JSONWriter) -> Void) -> ListFormat {
    let list = ListFormat.json("features", write)
    return ListFormat(
      contentType: "application/geo+json", opening: Array(#"{"type":"FeatureCollection","features":["#.utf8),
      separator: list.separator, append: list.append, closing: list.closing)
  }
}

extension JSONWriter {
  /// A point that leaves its properties open. A place that is not known is null (RFC 7946 §3.2).
  mutating func beginFeature(at longitude: Double?, _ latitude: Double?, altitude: Double?) {
    beginObject()
    key("type")
    value("Feature")
    key("geometry")
    if let longitude, let latitude {
      beginObject()
      key("type")
      value("Point")
      key("coordinates")
      appendPosition(longitude, latitude, altitude)
      endObject()
    } else {
      null()
    }
    key("properties")
    beginObject()
  }

  /// RFC 7946 §3.1.1: longitude first.
  mutating func appendPosition(_ longitude: Double, _ latitude: Double, _ altitude: Double?) {
    beginArray()
    value(longitude)
    value(latitude)
    if let altitude { value(altitude) }
    endArray()
  }

  mutating func endFeature() {
    endObject()
    endObject()
  }
}
