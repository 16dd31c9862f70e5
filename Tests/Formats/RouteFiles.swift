import Base

/// Files of routes for the tests: the same three points in each format.
enum RouteFiles {
  static func place(_ latitude: Double, _ longitude: Double) -> Coordinate {
    guard let place = Coordinate(latitude: latitude, longitude: longitude) else {
      preconditionFailure("the tests name places that exist")
    }
    return place
  }

  static let gpx = Array(
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <!-- <trkpt lat="1" lon="1"> -->
    <gpx version="1.1" creator='a "test"' xmlns="http://www.topografix.com/GPX/1/1" xmlns:x="urn:x">
      <metadata><time>2020-01-01T00:00:00Z</time></metadata>
      <wpt lat="1" lon="2"/>
      <trk><name><![CDATA[a < b]]></name><trkseg>
        <trkpt lat="48.1" lon="11.5"><ele>500.5</ele><time>2026-03-02T06:30:00Z</time></trkpt>
        <trkpt lon="11.6" lat="48.1">
          <time>2026-03-02T07:30:10.500+01:00</time>
          <extensions><x:time>later</x:time></extensions>
        </trkpt>
      </trkseg><trkseg>
        <trkpt lat="48.2" lon="11.6"><time>2026-03-02T06:30:30Z</time></trkpt>
      </trkseg></trk>
    </gpx>
    """.utf8)

  static let geoJSON = Array(
    """
    {"type": "FeatureCollection", "name": "a \\"test\\"", "features": [
      {"type": "Feature",
       "properties": {"n": null, "t": true,
         "coordTimes": ["2026-03-02T06:30:00Z", 1772433010500, "2026-03-02T06:30:30Z"]},
       "geometry": {"type": "LineString", "coordinates": [
         [11.5, 48.1, 500.5],
         [11.6, 48.1], [1.16e1, 48.2]]}}]}
    """.utf8)

  static let csv =
    Array(
      "Time;Name;lat;lng;altitude\r\n2026-03-02T06:30:00Z;a;48.1;11.5;500.5\r\n\r\n1772433010.5;\"b;c\";48.1;11.6;\r\n"
        .utf8) + Array("\"2026-03-02T06:30:30Z\";d;48.2;11.6;\n".utf8)
}
