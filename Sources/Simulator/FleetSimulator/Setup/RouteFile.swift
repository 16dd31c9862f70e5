import Base
import Contract
package import DeviceLog
import Gzip
package import Scenario
import Vocabulary
package import World

/// Files of recorded routes, in whichever format, packed with gzip or not.
package enum RouteFile {
  /// What the name of a file says about its format; nil when it says nothing.
  package static func format(of path: String) -> RouteFormat? {
    let parts = path.lowercased().split(separator: ".")
    let name = parts.last == "gz" ? parts.dropLast().last : parts.last
    switch name {
    case "gpx": return .gpx
    case "geojson", "json": return .geojson
    case "csv", "tsv": return .csv
    case "ndjson", "jsonl": return .ndjson
    case "log": return .sdkLog
    // Phones hand their logs over packed.
    default: return parts.last == "gz" ? .sdkLog : nil
    }
  }

  /// What the bytes look like.
  package static func format(guessedFrom bytes: [UInt8]) -> RouteFormat {
    switch bytes.first(where: { $0 > 0x20 && $0 < 0x80 }) {
    case UInt8(ascii: "<"): .gpx
    case UInt8(ascii: "{"): .geojson
    default: LogReader(String(decoding: bytes.prefix(65_536), as: UTF8.self)) == nil ? .csv : .sdkLog
    }
  }

  /// A day of a verbose log is a few megabytes.
  private static let bytesMax = 1 << 30

  package static func unpacked(_ file: [UInt8]) throws(RouteError) -> [UInt8] {
    guard GzipFile.isPacked(file) else { return file }
    do throws(GzipError) {
      return try GzipFile.unpack(file, limit: bytesMax)
    } catch {
      throw RouteError(.malformed, at: FileSpot(line: 1), "\(error)")
    }
  }

  package static func read(_ bytes: [UInt8], as format: RouteFormat) throws(RouteError) -> RouteRecording {
    switch format {
    case .gpx: try RouteRecording(gpx: bytes)
    case .geojson: try RouteRecording(geoJSON: bytes)
    case .csv: try RouteRecording(csv: bytes)
    case .polyline: try RouteRecording(polyline: bytes)
    case .ndjson: try RouteRecording(ndjson: bytes)
    case .sdkLog:
      // A log may have been cut in the middle of a character.
      if let log = LogReader(String(decoding: bytes, as: UTF8.self)) {
        try RouteRecording(log)
      } else {
        throw RouteError(
          .malformed, at: FileSpot(line: 1), "this is no log of the SDK; export it with logger.emailLog or uploadLog")
      }
    }
  }
}

extension RouteRecording {
  /// Older positions than that are the platform's memory of another place, and not where the phone is.
  private static let ageMillisecondsMax: Int64 = 10_000

  /// The positions that the platform gave the SDK, at the times of their lines: as the clock of the phone showed them, as if
  /// it were in UTC.
  package init(_ log: LogReader) throws(RouteError) {
    let points = log.facts.compactMap { fact -> RoutePoint? in
      guard case .fix(let fix, number: _, let age) = fact.content, age ?? 0 <= RouteRecording.ageMillisecondsMax,
        let place = Coordinate(latitude: fix.coords.latitude, longitude: fix.coords.longitude)
      else { return nil }
      return RoutePoint(place: place, elevation: fix.coords.altitude, time: fact.time, at: FileSpot(line: fact.line))
    }
    guard !points.isEmpty else {
      throw RouteError(
        .empty, at: FileSpot(line: log.lineCount),
        "the log has no positions; it needs the level debug or verbose (logger.logLevel)")
    }
    try self.init(points: points, end: FileSpot(line: log.lineCount))
  }
}
