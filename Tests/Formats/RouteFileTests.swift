import Base
import Support
import Testing

@testable import Formats

struct RouteFileTests {
  enum Format: CaseIterable, Sendable {
    case gpx, geoJSON, csv

    var file: [UInt8] {
      switch self {
      case .gpx: RouteFiles.gpx
      case .geoJSON: RouteFiles.geoJSON
      case .csv: RouteFiles.csv
      }
    }

    func read(_ bytes: [UInt8]) throws(RouteError) -> RouteRecording {
      switch self {
      case .gpx: try RouteRecording(gpx: bytes)
      case .geoJSON: try RouteRecording(geoJSON: bytes)
      case .csv: try RouteRecording(csv: bytes)
      }
    }
  }

  @Test(arguments: Format.allCases) func allFormatsSayTheSame(format: Format) throws {
    let route = try format.read(format.file)
    #expect(
      route.points.map(\.place) == [
        RouteFiles.place(48.1, 11.5), RouteFiles.place(48.1, 11.6), RouteFiles.place(48.2, 11.6),
      ])
    #expect(route.points.map(\.elevation) == [500.5, nil, nil])
    let start = 1_772_433_000_000 as Int64
    #expect(route.points.map { $0.time?.millisecondsSince1970 } == [start, start + 10_500, start + 30_000])
    #expect(try format.read([0xEF, 0xBB, 0xBF] + format.file) == route, "a byte order mark changes nothing")
  }

  @Test(arguments: Format.allCases) func everyTruncationIsAnErrorOrABeginning(format: Format) throws {
    let file = format.file
    let whole = try format.read(file).points
    for length in 0..<file.count {
      do {
        let points = try format.read(Array(file[..<length])).points
        // Only separated values have no end of their own: all but the last point must be as in the whole.
        #expect(format == .csv || file[length...].allSatisfy(ByteReader.isSpace), "\(length) bytes")
        #expect(Array(points.dropLast()) == Array(whole.prefix(max(points.count - 1, 0))), "\(length) bytes")
      } catch {
        #expect(error.spot.line >= 1 && error.spot.line <= 20 && !error.message.isEmpty, "\(length) bytes")
        if format != .csv && length > 60 { #expect(error.code == .endsTooEarly, "\(length) bytes: \(error.message)") }
      }
    }
  }

  @Test(arguments: Format.allCases) func damagedFilesAreErrorsOrRoutesAndNeverTraps(format: Format) {
    let tokens = ["<", ">", "/", "\"", "<trkpt", "lat=", "[", "]", "{", "}", ",", ";", "1e999", "-", "null", "\n"]
    let mutator = Mutator(corpus: [format.file], tokens: tokens.map { Array($0.utf8) })
    var generator = SeededGenerator(seed: 11)
    for _ in 0..<1_500 {
      let bytes = mutator.next(using: &generator)
      do {
        let route = try format.read(bytes)
        #expect(RouteSummary(route).pointCount == route.points.count)
      } catch {
        #expect(error.spot.line >= 1 && !error.message.isEmpty)
      }
    }
  }

  private func code(_ format: Format, _ text: String) -> (RouteError.Code, Int)? {
    do {
      _ = try format.read(Array(text.utf8))
      return nil
    } catch { return (error.code, error.spot.line) }
  }

  @Test func mistakesAreNamedWithTheirLine() throws {
    func expect(_ format: Format, _ text: String, _ code: RouteError.Code, line: Int) {
      guard let found = self.code(format, text) else {
        Issue.record("no error: \(text)")
        return
      }
      #expect(found == (code, line), "\(text)")
    }
    expect(.gpx, "<kml></kml>", .malformed, line: 1)
    expect(.gpx, "<gpx>\n<trkpt lat='91' lon='0'/></gpx>", .badCoordinate, line: 2)
    expect(.gpx, "<gpx>\n<trkpt lon='0'/></gpx>", .badNumber, line: 2)
    expect(.gpx, "<gpx><trkpt lat='1' lon='0'>\n<time>noon</time></trkpt></gpx>", .badTime, line: 2)
    expect(.gpx, "<gpx>\n</trk></gpx>", .malformed, line: 2)
    expect(.gpx, "<gpx><trk></trk>\n</gpx>", .empty, line: 2)
    expect(.gpx, String(repeating: "<gpx>", count: 70), .tooDeep, line: 1)
    expect(.geoJSON, "{\"type\":\"Polygon\"}", .unsupported, line: 1)
    expect(.geoJSON, "{\"type\":\"LineString\",\n\"coordinates\":[[1]]}", .badCoordinate, line: 2)
    expect(.geoJSON, "{\"type\":\"LineString\",\"coordinates\":[]}", .empty, line: 1)
    expect(.geoJSON, "{\n\"a\" 1}", .malformed, line: 2)
    expect(.geoJSON, String(repeating: "[", count: 70), .tooDeep, line: 1)
    expect(.csv, "", .empty, line: 1)
    expect(.csv, "latitude,y\n1,2\n", .missingColumn, line: 1)
    expect(.csv, "lat,lon\n1,2\n3\n", .malformed, line: 3)
    expect(.csv, "lat,lon\n1,\"2\n", .malformed, line: 2)
    expect(.csv, "lat,lon\n1,x\n", .badNumber, line: 2)
    expect(.csv, "lat,lon,time\n1,2,yesterday\n", .badTime, line: 2)
    #expect(throws: RouteError.self) { try RouteRecording(csv: [0xFF, 0xFE, 0x6C, 0x00]) }
  }

  @Test(arguments: [
    (Format.csv, "lat,lon\n1,2\n3\n"), (.csv, "lat,lon\n1,\"2\n"), (.csv, "lat,lon\n1,\"2"),
    (.csv, "lat,lon\n1,\"2\"3"),
    (.geoJSON, "{}"), (.geoJSON, "{\"type\":\"LineString\"}"), (.geoJSON, "{\"type\":\"Feature\"}"),
    (.geoJSON, "{\"type\":\"Point\",\"coordinates\":[1,2]} {}"), (.geoJSON, "{\"type\":what}"),
    (.geoJSON, "{\"type\":\"a\nb\"}"), (.geoJSON, "{\"type\":\"MultiLineString\",\"coordinates\":[1]}"),
    (.geoJSON, String(repeating: "[", count: 70)), (.gpx, "<kml></kml>"), (.gpx, "text<gpx></gpx>text"),
    (.gpx, "<gpx>\n</trk></gpx>"), (.gpx, "<gpx><!-- a"), (.gpx, "<gpx a='b"), (.gpx, "<gpx a"), (.gpx, "<gpx /a>"),
    (.gpx, "<gpx <"), (.gpx, String(repeating: "<gpx>", count: 70)),
  ])
  func aMistakeHasItsRemedy(format: Format, text: String) {
    let error = #expect(throws: RouteError.self) { _ = try format.read(Array(text.utf8)) }
    #expect(error?.message.contains("; ") == true, "\(error?.message ?? "")")
  }

  @Test(arguments: [
    (Format.csv, "lat,lon,time\n1,2,2026-03-02T06:30:00Z\n1,x,2026-03-02T06:30:00Z\n", "3:3"),
    (.csv, "lat,lon,time\n1,2,noon\n", "2:5"), (.geoJSON, "{\"type\":\"LineString\",\n \"coordinates\":[[1]]}", "2:17"),
    (.gpx, "<gpx>\n  <trkpt lat='91' lon='0'/></gpx>", "2:3"),
    (.gpx, "<gpx><trkpt lat='1' lon='0'>\n<time>noon</time></trkpt></gpx>", "2:7"),
  ])
  func aMistakeIsNamedWithItsColumn(format: Format, text: String, spot: String) {
    let error = #expect(throws: RouteError.self) { _ = try format.read(Array(text.utf8)) }
    #expect(error.map { "\($0.spot)" } == spot)
  }

  /// In every format a time is a text, or a number of seconds or milliseconds.
  @Test(arguments: [#""2026-03-02T06:30:00Z""#, "1772433000", "1772433000000", "1772433000000.4"])
  func aTimeIsReadInEachSpelling(time: String) throws {
    let line = #"{"latitude":48.1,"longitude":11.5,"time":\#(time)}"#
    let feature =
      #"{"type":"Feature","properties":{"coordTimes":[\#(time)]},"geometry":{"type":"LineString","coordinates":[[11.5,48.1]]}}"#
    let row = "lat,lon,time\n48.1,11.5,\(time)\n"
    for route in [
      try RouteRecording(ndjson: Array(line.utf8)), try RouteRecording(geoJSON: Array(feature.utf8)),
      try RouteRecording(csv: Array(row.utf8)),
    ] { #expect(route.points.map { $0.time?.millisecondsSince1970 } == [1_772_433_000_000]) }
  }

  @Test(
    arguments: [("null", nil), ("true", "2:42"), ("[1]", "2:42"), ("1e15", "2:42"), ("\"noon\"", "2:42")]
      as [(String, String?)])
  func aTimeOfALineIsOneOrNone(time: String, spot: String?) throws {
    let text = "{\"latitude\":1,\"longitude\":2}\n{\"latitude\":48.1,\"longitude\":11.5,\"time\":\(time)}"
    do {
      #expect(try RouteRecording(ndjson: Array(text.utf8)).points.map(\.time) == [nil, nil])
      #expect(spot == nil)
    } catch { #expect(error.code == .badTime && "\(error.spot)" == spot, "\(error)") }
  }

  /// As System.Text.Json writes them.
  @Test func escapesOfJSONAreResolved() throws {
    let text =
      #"{"t\u0079pe":"Feature","properties":{"coordTimes":["2026-03-02T08:30:00\u002B02:00"]},"#
      + #""geometry":{"type":"LineString","coordinates":[[11.5,48.1]]}}"#
    let route = try RouteRecording(geoJSON: Array(text.utf8))
    #expect(route.points.map { $0.time?.millisecondsSince1970 } == [1_772_433_000_000])
  }

  @Test(arguments: [
    "<![CDATA[2026-03-02T06:30:00Z]]>", "2026-03-02T06:30:00Z<!-- x -->", "<!-- x -->2026-03-02<?x?>T06:30:00Z",
    "2026-03-02T<![CDATA[06:30]]>:00Z",
  ])
  func aTextOfGPXMayHaveParts(time: String) throws {
    let text = "<gpx><trkpt lat='1' lon='2'><ele>5<!-- m --></ele><time>\(time)</time></trkpt></gpx>"
    let route = try RouteRecording(gpx: Array(text.utf8))
    #expect(route.points.map { $0.time?.millisecondsSince1970 } == [1_772_433_000_000])
    #expect(route.points.map(\.elevation) == [5])
  }

  /// What this server exports: a feature for each record, and columns of its own.
  @Test func exportsOfTheServerAreRoutes() throws {
    let geoJSON = """
      {"type":"FeatureCollection","features":[
      {"type":"Feature","geometry":{"type":"Point","coordinates":[11.5,48.1]},"properties":{"recordedAt":"2026-03-02T06:30:00Z"}},
      {"type":"Feature","geometry":null,"properties":{"recordedAt":null}},
      {"type":"Feature","geometry":{"type":"Point","coordinates":[11.6,48.1]},"properties":{"recordedAt":null}}]}
      """
    let points = try RouteRecording(geoJSON: Array(geoJSON.utf8)).points
    #expect(points.map(\.place) == [RouteFiles.place(48.1, 11.5), RouteFiles.place(48.1, 11.6)])
    #expect(points.map { $0.time?.millisecondsSince1970 } == [1_772_433_000_000, nil])
    let csv = "uuid,recordedAt,latitude,longitude\r\na,2026-03-02T06:30:00.000Z,48.1,11.5\r\n"
    #expect(try RouteRecording(csv: Array(csv.utf8)).points[0].time?.millisecondsSince1970 == 1_772_433_000_000)
  }

  @Test(arguments: Format.allCases) func aWrittenValueIsReadBack(format: Format) throws {
    let route = try Format.csv.read(RouteFiles.csv)
    let written =
      switch format {
      case .gpx: route.gpx
      case .geoJSON: route.geoJSON
      case .csv: route.csv
      }
    let again = try format.read(Array(written.utf8))
    #expect(again.points.map(\.place) == route.points.map(\.place))
    #expect(again.points.map(\.elevation) == route.points.map(\.elevation))
    #expect(again.points.map(\.time) == route.points.map(\.time))
    let small = RouteRecording(places: [RouteFiles.place(0.00001, -0.00002)])
    let text = format == .gpx ? small.gpx : format == .csv ? small.csv : small.geoJSON
    #expect(text.contains("0.0000100") && text.contains("-0.0000200"))
  }

  @Test func routesOfAFileCountWhenThereAreNoTracks() throws {
    let gpx = "<gpx><wpt lat='9' lon='9'/><rte><rtept lat='1' lon='2'/><rtept lat='1' lon='3'></rtept></rte></gpx>"
    let route = try RouteRecording(gpx: Array(gpx.utf8))
    #expect(route.points.map(\.place) == [RouteFiles.place(1, 2), RouteFiles.place(1, 3)])
    #expect(!route.hasTimes)
  }
}
