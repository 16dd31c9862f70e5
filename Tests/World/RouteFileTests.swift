import Base
import Support
import Testing

@testable import World

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
        Worlds.place(48.1, 11.5), Worlds.place(48.1, 11.6), Worlds.place(48.2, 11.6),
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
        #expect(error.line >= 1 && error.line <= 20 && !error.message.isEmpty, "\(length) bytes")
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
        #expect(!route.points.isEmpty)
      } catch {
        #expect(error.line >= 1 && !error.message.isEmpty)
      }
    }
  }

  private func code(_ format: Format, _ text: String) -> (RouteError.Code, Int)? {
    do {
      _ = try format.read(Array(text.utf8))
      return nil
    } catch { return (error.code, error.line) }
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

  @Test func routesOfAFileCountWhenThereAreNoTracks() throws {
    let gpx = "<gpx><wpt lat='9' lon='9'/><rte><rtept lat='1' lon='2'/><rtept lat='1' lon='3'></rtept></rte></gpx>"
    let route = try RouteRecording(gpx: Array(gpx.utf8))
    #expect(route.points.map(\.place) == [Worlds.place(1, 2), Worlds.place(1, 3)])
    #expect(!route.hasTimes)
  }
}
