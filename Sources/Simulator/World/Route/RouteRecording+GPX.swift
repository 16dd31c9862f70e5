import Base

extension RouteRecording {
  /// Reads GPX 1.0 or 1.1: the points of all tracks and their segments in the order of the file, or, without tracks, those
  /// of its routes.
  package init(gpx bytes: [UInt8]) throws(RouteError) {
    var reader = try XMLReader(bytes)
    var tracks: [RoutePoint] = []
    var routes: [RoutePoint] = []
    guard let root = try reader.nextTag() else {
      throw RouteError(.endsTooEarly, at: reader.spot, "the file has no elements; a GPX file begins with <gpx>")
    }
    guard root.name == "gpx", root.kind != .closes else {
      throw RouteError(.malformed, at: root.spot, "the file does not begin with <gpx>; this is no GPX file")
    }
    while let tag = try reader.nextTag() {
      guard tag.kind != .closes else { continue }
      switch tag.name {
      case "trkpt": tracks.append(try RouteRecording.point(tag, &reader))
      case "rtept": routes.append(try RouteRecording.point(tag, &reader))
      default: continue
      }
    }
    try self.init(points: tracks.isEmpty ? routes : tracks, end: reader.spot)
  }

  /// The point of a tag that was just opened, and everything up to its end.
  private static func point(_ tag: XMLTag, _ reader: inout XMLReader) throws(RouteError) -> RoutePoint {
    func degrees(_ name: String) throws(RouteError) -> Double {
      guard let text = tag.attribute(name), let number = RouteText.number(text) else {
        throw RouteError(
          .badNumber, at: tag.spot, "<\(tag.name)> needs the attribute \(name) with a number of degrees")
      }
      return number
    }
    let place = try RouteText.place(latitude: try degrees("lat"), longitude: try degrees("lon"), at: tag.spot)
    guard tag.kind == .opens else { return RoutePoint(place: place, at: tag.spot) }
    var elevation: Double?
    var time: WallInstant?
    let depth = reader.open.count
    while reader.open.count >= depth, let child = try reader.nextTag() {
      // The children of the point itself; what extensions nest deeper is theirs.
      guard child.kind == .closes, reader.open.count == depth else { continue }
      switch child.name {
      case "time": time = try RouteText.time(reader.text, at: reader.textSpot)
      case "ele":
        guard let number = RouteText.number(reader.text) else {
          throw RouteError(.badNumber, at: reader.textSpot, "<ele> needs a number of metres")
        }
        elevation = number
      default: continue
      }
    }
    return RoutePoint(place: place, elevation: elevation, time: time, at: tag.spot)
  }
}
