import Base
import Contract
import Database
import DeviceLog
import Engine
import Gzip
import Host
import Queue
import Upload
import Vocabulary

/// The state guarded by the lock of a `Device`.
struct DeviceCore {
  /// Callers that wait for answers. Each is answered exactly once, by the code that removes it from here.
  struct Waiting {
    var positions: [Int: CheckedContinuation<LocationRecord, any Error>] = [:]
    var watches: [Int: PositionWatch] = [:]
    var syncs: [UInt64: CheckedContinuation<[QueuedRecord], any Error>] = [:]
    var logUploads: [UInt64: CheckedContinuation<Void, any Error>] = [:]
    /// Calls that wait for `ready`.
    var readiness: [Int: CheckedContinuation<Void, any Error>] = [:]
    var nextID = 1

    mutating func makeID() -> Int {
      defer { nextID += 1 }
      return nextID
    }
  }

  private static let queueFile = "queue.db"
  private static let logFile = "log.db"
  private static let uuidStreamID: UInt64 = 1
  private static let insertStreamID: UInt64 = 2

  var host: DeviceHost
  var log: DeviceLogFile
  let database: QueueDatabase
  var waiting = Waiting()
  /// The device that may use this state. Its number serves its `deinit`, when the weak reference is gone.
  weak var holder: Device?
  var holderNumber = 0
  /// The source of uuids for records that the app inserts without one.
  var identity: RandomStream

  /// `folder` nil: everything is in memory, and lost with the process.
  init(folder: String?, platform: LinuxPlatform, seed: UInt64, at now: Moment) throws(BGGeoError) {
    let path = { (file: String) in folder.map { "\($0)/\(file)" } ?? ":memory:" }
    let (queuePath, logPath) = (path(Self.queueFile), path(Self.logFile))
    let (database, host) = try Self.use(queuePath) { () throws(DatabaseError) in
      let database = try QueueDatabase(path: queuePath, commits: .everyCall)
      let host = try DeviceHost(
        platform.description, database: database, device: 0,
        identity: RandomStream(seed: seed, device: 0, concern: Self.uuidStreamID), scratch: HostScratch(), at: now)
      return (database, host)
    }
    self.database = database
    self.host = host
    let store = try Self.use(logPath) { () throws(DatabaseError) in
      let store = try LogStore(path: logPath, text: LogText(platform: platform.description.platform))
      try store.purge(olderThanDays: host.configuration.logger.logMaxDays, at: now.wall)
      return store
    }
    log = DeviceLogFile(store)
    identity = RandomStream(seed: seed, device: 0, concern: Self.insertStreamID)
  }

  /// The error names the file and the remedy.
  private static func use<Result>(
    _ path: String, _ body: () throws(DatabaseError) -> Result
  ) throws(BGGeoError) -> Result {
    do throws(DatabaseError) {
      return try body()
    } catch {
      let reason =
        switch error.kind {
        case .busy: "another BGGeo, in this process or in another one, has it open"
        case .notADatabase, .corrupt:
          "it is damaged, or not a file of this SDK (\(error.summary)); move it away, and a new one is made"
        default: error.summary
        }
      throw BGGeoError("\(path): \(reason)")
    }
  }

  /// Writes the banner with which the log of a launch begins.
  mutating func writeBanner(_ configuration: Configuration, at now: Moment) {
    if configuration.logger.logLevel >= .info { log.writeBanner(configuration, at: now.wall) }
  }

  /// The instant by which `Device.timersDue` must be called.
  var nextDeadline: MonotonicInstant? {
    ([host.nextDeadline] + waiting.watches.values.map(\.deadline)).compactMap(\.self).min()
  }

  /// Appends an entry by or about the app, if the log level admits it.
  mutating func note(_ entry: LogEntry, at now: Moment) {
    if entry.level <= host.configuration.logger.logLevel { log.append(entry, at: now.wall) }
  }

  mutating func nextUUID() -> UUID128 { UUID128(randomHigh: identity.u64(), randomLow: identity.u64()) }
}

/// The device's log.
struct DeviceLogFile {
  let store: LogStore
  /// The last error of a write to the log; thrown at the next read of the log.
  private(set) var error: DatabaseError?

  init(_ store: LogStore) { self.store = store }

  mutating func append(_ entry: LogEntry, at wall: WallInstant) {
    do throws(DatabaseError) { try store.append(entry, at: wall) } catch { self.error = error }
  }

  mutating func writeBanner(_ configuration: Configuration, at wall: WallInstant) {
    do throws(DatabaseError) { try store.appendBanner(configuration, at: wall) } catch { self.error = error }
  }

  mutating func destroy() {
    error = nil
    do throws(DatabaseError) { try store.removeAll() } catch { self.error = error }
  }

  /// Returns the log, gzipped.
  mutating func compressed() -> [UInt8] {
    do throws(DatabaseError) {
      return GzipFile.pack(try store.text())
    } catch {
      self.error = error
      return GzipFile.pack(Array("\(error)".utf8))
    }
  }
}
