import Base
import Contract
import Database
import DeviceLog
import FoundationEssentials
import Gzip
import Host
import Vocabulary

/// The log of a device, in the wording of the real SDK.
public final class Logger: Sendable {
  // swift-format-ignore: AlwaysUseLowerCamelCase
  /// Oldest first.
  public static let ORDER_ASC = 1
  // swift-format-ignore: AlwaysUseLowerCamelCase
  /// Newest first.
  public static let ORDER_DESC = -1

  private let device: Device

  init(_ device: Device) { self.device = device }

  /// The least severe level that is logged: `Config.logger.logLevel`.
  public var logLevel: LogLevel {
    get { LogLevel(device.configuration.logger.logLevel) }
    set { device.edit(warnings: []) { $0.logger.logLevel = newValue.contract } }
  }

  /// Returns the log as text. `start` and `end` are milliseconds since 1970, 0 for no limit; `limit` counts entries, 0
  /// for all of them. Throws `BGGeoError` when the log cannot be read, or an entry could not be written.
  public func getLog(
    start: Double = 0, end: Double = 0, order: Int = Logger.ORDER_ASC, limit: Int = 0
  ) async throws -> String {
    let bytes = try read(Self.query(start, end, order, limit))
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Always throws `BGGeoError`, because there is no mail program here. Use `getLog` or `uploadLog`.
  public func emailLog(
    to email: String, start: Double = 0, end: Double = 0, order: Int = Logger.ORDER_ASC, limit: Int = 0
  ) async throws {
    throw BGGeoError("there is no mail program")
  }

  /// Uploads the log as a file, with the state and the name of the device beside it; the arguments are those of
  /// `getLog`. Throws `BGGeoError` with the status when the server refuses it, 0 when it does not answer, -1 for a url
  /// that is not http or https with a host, and `LocationError` 499 when the task is cancelled.
  public func uploadLog(
    url: String, start: Double = 0, end: Double = 0, order: Int = Logger.ORDER_ASC, limit: Int = 0
  ) async throws {
    var http = device.configuration.http
    http.url = url
    guard http.isUsable else {
      throw BGGeoError("the log cannot be sent to '\(url)': no http or https url with a host")
    }
    let file = GzipFile.pack(try read(Self.query(start, end, order, limit)))
    guard let number = device.perform({ core, _ in core.waiting.makeID() }) else { throw LocationError.cancelled }
    let id = UInt64(number)
    do {
      try await device.answer(
        ask: { core, continuation, now in
          core.waiting.logUploads[id] = continuation
          core.host.uploadLog(to: url, gzip: file, completion: id, at: now)
        }, cancel: { core in core.waiting.logUploads.removeValue(forKey: id) })
    } catch let error as BGGeoError {
      throw BGGeoError("\(url): \(error)", code: error.code)
    }
  }

  /// Deletes the log. Returns false when it cannot be written.
  @discardableResult
  public func destroyLog() -> Bool {
    device.perform { core, _ in
      core.log.destroy()
      return core.log.error == nil
    } ?? false
  }

  /// Writes a line. `off` writes nothing, and `verbose` counts as `debug`.
  public func log(_ level: LogLevel, message: String) {
    switch level {
    case .off: break
    case .error: write(.error, message)
    case .warning: write(.warn, message)
    case .info: write(.info, message)
    case .debug, .verbose: write(.debug, message)
    }
  }

  /// Writes a line at the level error.
  public func error(_ message: String) { write(.error, message) }
  /// Writes a line at the level warning.
  public func warn(_ message: String) { write(.warn, message) }
  /// Writes a line at the level info.
  public func info(_ message: String) { write(.info, message) }
  /// Writes a line at the level debug.
  public func debug(_ message: String) { write(.debug, message) }
  /// Writes a line at the level info, with a mark of its own.
  public func notice(_ message: String) { write(.notice, message) }

  /// Does nothing; phones play a sound.
  public func playSound(_ soundId: UInt32) {}

  private func write(_ level: LogEntry.UserLevel, _ message: String) {
    device.perform { core, now in core.note(.user(level, message), at: now) }
  }

  private func read(_ query: LogQuery) throws -> [UInt8] {
    let read = device.perform { core, _ -> Result<[UInt8], BGGeoError> in
      do throws(DatabaseError) {
        if let error = core.log.error { throw error }
        return .success(try core.log.store.text(query))
      } catch { return .failure(BGGeoError("\(error)")) }
    }
    guard let bytes = try read?.get() else { throw LocationError.cancelled }
    return bytes
  }

  private static func query(_ start: Double, _ end: Double, _ order: Int, _ limit: Int) -> LogQuery {
    var query = LogQuery()
    if start > 0 { query.start = Date(timeIntervalSince1970: start / 1_000).wallInstant }
    if end > 0 { query.end = Date(timeIntervalSince1970: end / 1_000).wallInstant }
    query.newestFirst = order == ORDER_DESC
    if limit > 0 { query.limit = limit }
    return query
  }
}
