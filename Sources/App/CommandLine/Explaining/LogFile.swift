import Base
import Contract
import DeviceLog
import Explain
import Glibc
import Gzip

/// Reads a phone's log from disk piece by piece: such files have hundreds of megabytes.
enum LogFile {
  private static let pieceBytes = 1 << 20

  /// Returns the logs in the order of their beginnings, with these; they are in the phone's local time.
  static func inOrder(_ paths: [String]) throws(SourceError) -> [(path: String, begin: WallInstant?)] {
    guard paths.count > 1 else { return paths.map { ($0, nil) } }
    var logs: [(path: String, begin: WallInstant?)] = []
    for path in paths {
      var begin: WallInstant?
      try forEachPassage(of: path) { passage, _ in
        begin = passage.time
        return false
      }
      logs.append((path, begin))
    }
    // A log of Android may name no year; one that seems to be half a year older is of the next one.
    let latest = logs.compactMap(\.begin).max() ?? .latest
    func rank(_ begin: WallInstant?) -> Int64 {
      guard let begin else { return .min }
      let isOfNextYear = latest.milliseconds(since: begin) > halfYear && begin.civilDate.year < LogZone.firstRealYear
      return begin.millisecondsSince1970 + (isOfNextYear ? 2 * halfYear : 0)
    }
    return logs.enumerated().sorted { (rank($0.element.begin), $0.offset) < (rank($1.element.begin), $1.offset) }
      .map(\.element)
  }

  private static let halfYear: Int64 = 183 * 86_400_000

  static func read(_ path: String, into story: LogStory) throws(SourceError) -> LogStory {
    var story = story
    let written = try forEachPassage(of: path) { passage, platform in
      story.take(passage, on: platform)
      return true
    }
    guard !story.isBackward else {
      throw SourceError(
        message: "'\(path)': its entries go from the latest to the oldest; export it in ascending order")
    }
    story.finish(written: written)
    return story
  }

  /// Passes the entries until `take` returns false. Returns when the file was last changed.
  @discardableResult private static func forEachPassage(
    of path: String, _ take: (LogPassage, DevicePlatform) -> Bool
  ) throws(SourceError) -> WallInstant? {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw SourceError(message: "cannot read '\(path)': \(unsafe String(cString: strerror(errno)))")
    }
    defer { close(descriptor) }
    var (stream, goesOn) = (LogStream(), true)
    func pass(_ passages: [LogPassage]) {
      for passage in passages {
        if goesOn, let platform = stream.platform { goesOn = take(passage, platform) }
      }
    }
    var unpacking = GzipUnpacking()
    var isPacked: Bool?
    while goesOn, let piece = try next(descriptor, path) {
      let packed = isPacked ?? GzipFile.isPacked(piece)
      isPacked = packed
      do throws(GzipError) {
        if packed { try unpacking.take(piece) { pass(stream.take($0)) } } else { pass(stream.take(piece[...])) }
      } catch { throw SourceError(message: "'\(path)': \(error)") }
    }
    do throws(GzipError) {
      if goesOn, isPacked == true { try unpacking.finish() }
    } catch { throw SourceError(message: "'\(path)': \(error)") }
    if goesOn { pass(stream.finish()) }
    guard stream.platform != nil else {
      throw SourceError(message: "'\(path)' is not a log of the SDK; export it with logger.emailLog or uploadLog")
    }
    return try written(descriptor, path)
  }

  /// When the file was last changed.
  private static func written(_ descriptor: Int32, _ path: String) throws(SourceError) -> WallInstant? {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw SourceError(message: "cannot read '\(path)'") }
    return WallInstant(exactly: Int64(status.st_mtim.tv_sec) * 1_000)
  }

  /// Returns nil at the end of the file.
  private static func next(_ descriptor: Int32, _ path: String) throws(SourceError) -> [UInt8]? {
    var piece = [UInt8](repeating: 0, count: pieceBytes)
    var count = 0
    repeat {
      count = unsafe piece.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress, $0.count) }
    } while count < 0 && errno == EINTR
    guard count >= 0 else { throw SourceError(message: "cannot read '\(path)' to its end") }
    return count == 0 ? nil : Array(piece[..<count])
  }
}
