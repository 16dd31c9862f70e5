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

/// What the lock of a `Device` guards.
struct DeviceCore {
  /// Who waits for answers. Each is answered exactly once: taking it out of here is the right to do so.
  struct Waiting {
    var positions: [Int: CheckedContinuation<LocationRecord, any Error>] = [:]
    var watches: [Int: Watcher] = [:]
    var syncs: [UInt64: CheckedContinuation<[QueuedRecord], any Error>] = [:]
    var logUploads: [UInt64: CheckedContinuation<Void, any Error>] = [:]
    var nextID = 1

    mutating func makeID() -> Int {
      defer { nextID += 1 }
      return nextID
    }
  }

  private static let queueFile = "queue.db"
  private static let logFile = "log.db"
  private static let uuidConcern: UInt64 = 1
  private static let insertConcern: UInt64 = 2

  var host: DeviceHost<PhoneLink>
  let database: QueueDatabase
  var waiting = Waiting()
  /// The device that may work on it, by its number too, which a device that is going away still knows.
  weak var holder: Device?
  var holderNumber = 0
  /// Names records that the app inserts without one.
  var identity: RandomStream

  /// `folder` nil: everything in memory, gone with the process.
  init(folder: String?, platform: LinuxPlatform, seed: UInt64, at now: Moment) throws(DatabaseError) {
    let path = { (file: String) in folder.map { "\($0)/\(file)" } ?? ":memory:" }
    let log = try LogStore(path: path(Self.logFile), text: LogText(platform: platform.description.platform))
    database = try QueueDatabase(path: path(Self.queueFile), commits: .everyCall)
    host = try DeviceHost(
      platform.description, on: PhoneLink(log: log), database: database, device: 0,
      identity: RandomStream(seed: seed, device: 0, concern: Self.uuidConcern), scratch: HostScratch(), at: now)
    identity = RandomStream(seed: seed, device: 0, concern: Self.insertConcern)
    try log.purge(olderThanDays: host.configuration.logger.logMaxDays, at: now.wall)
  }

  /// The box with which the log of a launch begins.
  mutating func writeBanner(_ configuration: Configuration, at now: Moment) {
    if configuration.logger.logLevel >= .info { host.platform.writeBanner(configuration, at: now) }
  }

  /// When `Device.timersDue` is wanted at the latest.
  var nextDeadline: MonotonicInstant? {
    ([host.nextDeadline] + waiting.watches.values.map(\.deadline)).compactMap(\.self).min()
  }

  /// Of the app, or about it. Only what the log keeps.
  mutating func note(_ entry: LogEntry, at now: Moment) {
    if entry.level <= host.configuration.logger.logLevel { host.platform.log(entry, at: now) }
  }

  mutating func nextUUID() -> UUID128 { UUID128(randomHigh: identity.u64(), randomLow: identity.u64()) }
}

/// What a host has ordered and has not been carried out yet, in its order; and the device's log.
struct PhoneLink: Platform {
  /// To be done outside the host.
  enum Order {
    case demand(SensorDemand)
    case send(OutgoingRequest)
    case deliver(HostEvent)
  }

  private var orders: [Order] = []
  let log: LogStore
  /// The last thing that kept an entry out of the log; told to the next reader of the log.
  private(set) var logError: DatabaseError?

  init(log: LogStore) { self.log = log }

  mutating func takeOrders() -> [Order] {
    defer { orders = [] }
    return orders
  }

  mutating func demand(_ demand: SensorDemand, at now: Moment) { orders.append(.demand(demand)) }
  mutating func send(_ request: OutgoingRequest, at now: Moment) { orders.append(.send(request)) }
  /// Answers to what was given up are passed over by the host.
  mutating func cancel(request: UInt64) {}
  /// A process here runs on by itself.
  mutating func backgroundTask(id: Int, isStart: Bool) {}
  mutating func deliver(_ event: HostEvent, at now: Moment) { orders.append(.deliver(event)) }

  mutating func log(_ entry: LogEntry, at now: Moment) {
    do throws(DatabaseError) {
      try log.append(entry, at: now.wall)
    } catch { logError = error }
  }

  mutating func writeBanner(_ configuration: Configuration, at now: Moment) {
    do throws(DatabaseError) {
      try log.appendBanner(configuration, at: now.wall)
    } catch { logError = error }
  }

  mutating func destroyLog() {
    do throws(DatabaseError) {
      try log.removeAll()
      logError = nil
    } catch { logError = error }
  }

  mutating func compressedLog() -> [UInt8] {
    do throws(DatabaseError) {
      return GzipFile.pack(try log.text())
    } catch {
      logError = error
      return GzipFile.pack(Array("\(error)".utf8))
    }
  }
}
