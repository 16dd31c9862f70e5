import Base
import DeviceLog
import Explain
import Glibc
import Gzip

/// Reads a phone's log from disk piece by piece: such files have hundreds of megabytes.
enum LogFile {
  private static let pieceBytes = 1 << 20

  static func read(_ path: String, into story: LogStory) throws(SourceError) -> LogStory {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw SourceError(message: "cannot read '\(path)': \(unsafe String(cString: strerror(errno)))")
    }
    defer { close(descriptor) }
    var (story, stream) = (story, LogStream())
    func take(_ piece: ArraySlice<UInt8>) {
      for passage in stream.take(piece) { if let platform = stream.platform { story.take(passage, on: platform) } }
    }
    var unpacking = GzipUnpacking()
    var isPacked: Bool?
    while let piece = try next(descriptor, path) {
      let packed = isPacked ?? GzipFile.isPacked(piece)
      isPacked = packed
      do throws(GzipError) {
        if packed { try unpacking.take(piece, take) } else { take(piece[...]) }
      } catch { throw SourceError(message: "'\(path)': \(error)") }
    }
    do throws(GzipError) {
      if isPacked == true { try unpacking.finish() }
    } catch { throw SourceError(message: "'\(path)': \(error)") }
    for passage in stream.finish() { if let platform = stream.platform { story.take(passage, on: platform) } }
    guard stream.platform != nil else {
      throw SourceError(message: "'\(path)' is not a log of the SDK; export it with logger.emailLog or uploadLog")
    }
    story.finish(written: try written(descriptor, path))
    return story
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
