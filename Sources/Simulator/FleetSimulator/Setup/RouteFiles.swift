import Base
import Contract
package import DeviceLog
package import Formats
import Gzip
package import Scenario
import Vocabulary
import World

/// Access to the files that a scenario names.
package struct RouteFiles {
  /// The function that returns the bytes of a file; nil when it cannot be read.
  let read: (String) -> [UInt8]?
  /// The function that returns the names in a folder, in any order; nil when there is no such folder.
  let list: (String) -> [String]?
  /// The folder of the scenario file, with a trailing slash; empty: the working directory.
  private let folder: String
  /// The routes that were read since the last setup.
  fileprivate let cache = RouteCache()

  /// `scenario` is the path of the scenario file; nil for a built-in one.
  package init(
    beside scenario: String?, read: @escaping (String) -> [UInt8]?,
    list: @escaping (String) -> [String]?
  ) {
    (self.read, self.list) = (read, list)
    folder = scenario?.lastIndex(of: "/").map { String((scenario ?? "")[...$0]) } ?? ""
  }

  /// The files in a plan, by the names in its scenario.
  package init(_ files: [String: [UInt8]]) {
    self.init(
      beside: nil, read: { files[$0] },
      list: { folder in
        let start = folder == "." ? "" : folder + "/"
        return files.keys.filter { $0.hasPrefix(start) && !$0.dropFirst(start.count).contains("/") }
          .map { String($0.dropFirst(start.count)) }
      })
  }

  /// Returns the files of a scenario's routes, by their names in it.
  package func files(of scenario: Scenario) -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    for route in scenario.routes {
      let name: String
      switch route.value {
      case .replay(let replay): name = replay.file
      case .collection(let collection): name = collection.files
      case .city, .walk: continue
      }
      for path in paths(name) { files[name.hasPrefix("/") ? path : String(path.dropFirst(folder.count))] = read(path) }
    }
    return files
  }

  /// No files.
  package static var none: RouteFiles {
    RouteFiles(beside: nil, read: { _ in nil }, list: { _ in nil })
  }

  /// Releases the routes that were read; the bodies of a run have paths of their own.
  func releaseRoutes() { cache.recordings = [:] }

  func path(_ name: String) -> String { name.hasPrefix("/") ? name : folder + name }

  /// Returns the paths that match a pattern with `*` in its last component, in alphabetical order.
  func paths(_ pattern: String) -> [String] {
    let whole = path(pattern)
    let slash = whole.lastIndex(of: "/")
    let parent = slash.map { String(whole[..<$0]) } ?? "."
    let last = slash.map { whole[whole.index(after: $0)...] } ?? whole[...]
    let prefix = slash.map { String(whole[...$0]) } ?? ""
    guard last.contains("*") else { return [whole] }
    return (list(parent) ?? []).filter { RouteFiles.matches($0[...], last) }.sorted().map { prefix + $0 }
  }

  private static func matches(_ name: Substring, _ pattern: Substring) -> Bool {
    guard let star = pattern.firstIndex(of: "*") else { return name == pattern }
    guard name.hasPrefix(pattern[..<star]) else { return false }
    let rest = pattern[pattern.index(after: star)...]
    var tail = name.dropFirst(pattern[..<star].count)
    while true {
      if matches(tail, rest) { return true }
      guard !tail.isEmpty else { return false }
      tail = tail.dropFirst()
    }
  }
}

/// The routes of files, by path. The checks of a scenario read them before its setup does, and several fleets may share one.
private final class RouteCache {
  var recordings: [String: RouteRecording] = [:]
}

/// Files of recorded routes, in any format, compressed with gzip or not.
package enum RouteFile {
  /// Returns the format by a file's name; nil when it is unknown.
  package static func format(of path: String) -> RouteFormat? {
    let parts = path.lowercased().split(separator: ".")
    let name = parts.last == "gz" ? parts.dropLast().last : parts.last
    switch name {
    case "gpx": return .gpx
    case "geojson", "json": return .geojson
    case "csv", "tsv": return .csv
    case "ndjson", "jsonl": return .ndjson
    case "log": return .sdkLog
    // Phones export their logs compressed.
    default: return parts.last == "gz" ? .sdkLog : nil
    }
  }

  /// Returns the format by the content.
  package static func format(guessedFrom bytes: [UInt8]) -> RouteFormat {
    let first = bytes.first { $0 > 0x20 && $0 < 0x80 }
    if first == UInt8(ascii: "<") { return .gpx }
    // A log may begin in the middle of an entry, with any character.
    if LogReader(String(decoding: bytes.prefix(65_536), as: UTF8.self)) != nil { return .sdkLog }
    return switch first {
    case UInt8(ascii: "{"): RouteRecording.beginsWithRecord(bytes) ? .ndjson : .geojson
    case UInt8(ascii: "["): .polyline
    default: .csv
    }
  }

  /// A day of a verbose log has a few megabytes.
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
      // A log may be cut in the middle of a character.
      if let log = LogReader(String(decoding: bytes, as: UTF8.self)) {
        try RouteRecording(log)
      } else {
        throw RouteError(
          .malformed, at: FileSpot(line: 1), "this is not a log of the SDK; export it with logger.emailLog or uploadLog"
        )
      }
    }
  }
}

extension RouteRecording {
  /// Older positions are cached by the platform and do not show where the phone is.
  private static let ageMillisecondsMax: Int64 = 10_000

  /// The positions that the platform gave the SDK, at the local times of their log lines, read as UTC.
  package init(_ log: LogReader) throws(RouteError) {
    let points = log.facts.compactMap { fact -> RoutePoint? in
      guard case .fix(let fix, number: _, let age) = fact.content, age ?? 0 <= RouteRecording.ageMillisecondsMax,
        let place = fix.coords.place
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

extension MovementBuilder {
  func read(
    _ replay: RouteReplay, _ transport: Transport, _ place: String, _ problems: inout [ScenarioProblem]
  ) -> TimedRoute? {
    let path = files.path(replay.file)
    guard let recording = recording(path, replay.format, place, &problems) else { return nil }
    switch replay.timing {
    case .recorded: return timed(recording, replay.speed, transport, path, place, &problems)
    case .modelled: return TimedRoute(modelled: recording, transport: transport.faster(by: replay.speed))
    }
  }

  /// Reads a route, with the file's times if it has them, otherwise with those of the motion.
  func read(
    _ collection: RouteCollection, _ transport: Transport, _ place: String, _ problems: inout [ScenarioProblem]
  ) -> RouteSet? {
    let paths = files.paths(collection.files)
    guard !paths.isEmpty else {
      problems.append(
        ScenarioProblem(
          .unresolved, place + ".files", "no file matches '\(files.path(collection.files))'",
          remedy: "name files beside the scenario, with * for any letters"))
      return nil
    }
    var routes: [TimedRoute] = []
    for path in paths {
      guard let recording = recording(path, collection.format, place, &problems) else { return nil }
      if recording.hasTimes {
        guard let route = timed(recording, 1, transport, path, place, &problems) else { return nil }
        routes.append(route)
      } else {
        routes.append(TimedRoute(modelled: recording, transport: transport))
      }
    }
    return RouteSet(routes, pick: RouteSet.Pick(collection.pick))
  }

  private func timed(
    _ recording: RouteRecording, _ factor: Double, _ transport: Transport, _ path: String, _ place: String,
    _ problems: inout [ScenarioProblem]
  ) -> TimedRoute? {
    do throws(RouteError) {
      return try TimedRoute(recorded: recording, factor: factor, transport: transport)
    } catch {
      problems.append(ScenarioProblem(error, of: path, place))
      return nil
    }
  }

  private func recording(
    _ path: String, _ format: RouteFormat?, _ place: String, _ problems: inout [ScenarioProblem]
  ) -> RouteRecording? {
    guard let format = format ?? RouteFile.format(of: path) else {
      problems.append(
        ScenarioProblem(
          .missing, place, "the name '\(path)' does not show the format of the file",
          remedy: "add format: one of \(RouteFormat.allCases.map(\.rawValue).joined(separator: ", "))"))
      return nil
    }
    let key = "\(format.rawValue) \(path)"
    if let known = files.cache.recordings[key] { return known }
    guard let bytes = files.read(path) else {
      problems.append(
        ScenarioProblem(
          .unresolved, place + ".file", "cannot read the file '\(path)'",
          remedy: "name one that can be read, by its path beside the scenario"))
      return nil
    }
    do throws(RouteError) {
      let recording = try RouteFile.read(RouteFile.unpacked(bytes), as: format)
      files.cache.recordings[key] = recording
      return recording
    } catch {
      problems.append(ScenarioProblem(error, of: path, place))
      return nil
    }
  }
}

extension ScenarioProblem {
  /// A mistake in the file of a route.
  fileprivate init(_ error: RouteError, of path: String, _ place: String) {
    self.init(
      .unresolved, place, "\(path):\(error.spot): \(error.message)", remedy: "correct the file, or name another one")
  }
}

extension RouteSet.Pick {
  fileprivate init(_ pick: RoutePick) {
    switch pick {
    case .shuffle: self = .shuffle
    case .sequence: self = .sequence
    case .random: self = .random
    }
  }
}
