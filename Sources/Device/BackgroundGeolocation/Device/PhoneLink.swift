import Base
import Contract
import Database
import DeviceLog
import Engine
import Gzip
import Host
import Upload
import Vocabulary

/// What a host has ordered and nobody has carried out yet, in its order; and the device's log.
struct PhoneLink: Platform {
  /// To be done outside the host.
  enum Order {
    case demand(SensorDemand)
    case send(OutgoingRequest)
    case deliver(HostEvent)
  }

  private var orders: [Order] = []
  let log: LogStore
  /// The last thing that kept an entry out of the log; told to whoever reads the log next.
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
