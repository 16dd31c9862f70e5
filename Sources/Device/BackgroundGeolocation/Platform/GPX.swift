import FoundationEssentials

/// Points in GPX 1.0 and 1.1. Only the elements that a position has are read; everything else of XML is passed over.
enum GPX {
  /// The elements of this name, in the order of the text.
  static func points(_ name: String, in text: String) -> [RoutePoint] {
    var points: [RoutePoint] = []
    var rest = text[...]
    while let opening = rest.firstRange(of: "<\(name)") {
      rest = rest[opening.upperBound...]
      guard let end = rest.firstIndex(of: ">") else { break }
      let attributes = rest[..<end]
      rest = rest[rest.index(after: end)...]
      var content: Substring = ""
      if attributes.last != "/", let closing = rest.firstRange(of: "</\(name)>") {
        content = rest[..<closing.lowerBound]
        rest = rest[closing.upperBound...]
      }
      guard let latitude = attribute("lat", of: attributes), let longitude = attribute("lon", of: attributes) else {
        continue
      }
      points.append(
        RoutePoint(
          latitude: latitude, longitude: longitude, altitude: element("ele", in: content).flatMap { Double($0) },
          time: element("time", in: content).flatMap { Date(iso8601: $0) }))
    }
    return points
  }

  private static func attribute(_ name: String, of attributes: Substring) -> Double? {
    for quote in ["\"", "'"] {
      guard let start = attributes.firstRange(of: " \(name)=\(quote)") else { continue }
      return Double(attributes[start.upperBound...].prefix { String($0) != quote })
    }
    return nil
  }

  private static func element(_ name: String, in content: Substring) -> String? {
    guard let start = content.firstRange(of: "<\(name)>") else { return nil }
    let text = content[start.upperBound...].prefix { $0 != "<" }
    return String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
  }
}
