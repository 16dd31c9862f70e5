import Base
import FleetSimulator

/// The map of a city: streets, zones without signal, the areas of faults, and the tracks of some devices.
struct MapDrawing {
  let map: RunMap

  private static let (width, margin) = (1_000.0, 14.0)
  private static let colours = ["a", "b", "c", "d"]

  var html: String {
    let height = max(min(MapDrawing.width * map.aspect, 760), 320)
    let content =
      map.streets.map { street in
        path(street.places, "street" + (street.isArtery ? " artery" : ""), height)
      } + map.zones.map { path($0.places, "area zone", height, isClosed: true, tip: $0.name) }
      + map.places.map { path($0.places, "area place", height, isClosed: true, tip: "fault \($0.name)") }
      + tracks(height)
      + ruler(height)
    let shown = NumberText.count(map.tracks.count, "device")
    return HTML.element(
      "figure", "class=\"map\"",
      [
        HTML.element(
          "figcaption", "id=\"map\"",
          [
            HTML.element("h3", "", [HTML.text("Routes of the devices")]),
            HTML.element("p", "", [HTML.text("The true routes of \(shown), with a dot at both ends.")]),
          ]),
        HTML.element("p", "class=\"legend\"", legend),
        HTML.element(
          "svg",
          "viewBox=\"0 0 \(Int(MapDrawing.width)) \(Int(height))\" role=\"img\" aria-labelledby=\"map\"", content),
      ])
  }

  private var legend: [String] {
    var keys = map.fleets.enumerated().map { index, fleet in
      HTML.element("span", "class=\"key dot \(colour(of: index))\"", [HTML.text(fleet)])
    }
    if !map.zones.isEmpty {
      keys.append(HTML.element("span", "class=\"key zone\"", [HTML.text("tunnels and dead zones")]))
    }
    for place in map.places {
      keys.append(HTML.element("span", "class=\"key fault\"", [HTML.text("fault \(place.name)")]))
    }
    return keys
  }

  private func colour(of fleet: Int) -> String { MapDrawing.colours[fleet % MapDrawing.colours.count] }

  /// Returns the largest size inside the margins.
  private func drawnSize(_ height: Double) -> (width: Double, height: Double) {
    let used = min((MapDrawing.width - 2 * MapDrawing.margin) * map.aspect, height - 2 * MapDrawing.margin)
    return (width: used / map.aspect, height: used)
  }

  private func point(_ place: Coordinate, _ height: Double) -> (x: Double, y: Double) {
    let (share, size) = (map.share(of: place), drawnSize(height))
    return (
      x: (MapDrawing.width - size.width) / 2 + share.east * size.width,
      y: (height - size.height) / 2 + (1 - share.north) * size.height
    )
  }

  private func path(
    _ places: [Coordinate], _ className: String, _ height: Double, isClosed: Bool = false, tip: String? = nil
  ) -> String {
    let drawn = SVG.path(places.map { point($0, height) }) + (isClosed ? "Z" : "")
    let title = tip.map { [HTML.element("title", "", [HTML.text($0)])] } ?? []
    return HTML.element("path", "class=\"\(className)\" d=\"\(drawn)\"", title)
  }

  private func tracks(_ height: Double) -> [String] {
    map.tracks.flatMap { track in
      let colour = colour(of: track.fleet)
      let ends = [track.places.first, track.places.last].compactMap(\.self).map { place in
        let point = point(place, height)
        return "<circle class=\"spot \(colour)\" cx=\"\(SVG.number(point.x))\" cy=\"\(SVG.number(point.y))\" r=\"4\"/>"
      }
      return [path(track.places, "track \(colour)", height, tip: track.device)] + ends
    }
  }

  /// Returns a scale bar of a round number of metres.
  private func ruler(_ height: Double) -> [String] {
    let metresPerUnit = map.widthMetres / drawnSize(height).width
    let wanted = metresPerUnit * 150
    var metres = 10.0
    for step in [20.0, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000] where step <= wanted {
      metres = step
    }
    let (x, y) = (MapDrawing.margin, height - MapDrawing.margin)
    let end = SVG.number(x + metres / metresPerUnit)
    let text = metres < 1_000 ? "\(Int(metres)) m" : "\(Int(metres / 1_000)) km"
    return [
      "<line class=\"ruler\" x1=\"\(SVG.number(x))\" x2=\"\(end)\" y1=\"\(SVG.number(y))\" y2=\"\(SVG.number(y))\"/>",
      "<text class=\"ruler-text\" x=\"\(SVG.number(x))\" y=\"\(SVG.number(y - 6))\">\(text)</text>",
    ]
  }
}
