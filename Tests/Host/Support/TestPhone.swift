import Engine
import Host
import Upload
import Vocabulary

/// A phone that does nothing but remember what it was told.
struct TestPhone: Platform {
  /// Sent and not answered yet.
  var waiting: [OutgoingRequest] = []
  var sent: [OutgoingRequest] = []
  var cancelled: [UInt64] = []
  var events: [HostEvent] = []
  var entries: [LogEntry] = []
  var demands: [SensorDemand] = []
  var backgroundTasks: [Int] = []
  var logWasDestroyed = false
  var isSampling = false

  mutating func demand(_ demand: SensorDemand, at now: Moment) {
    demands.append(demand)
    if case .sampling(let accuracy) = demand { isSampling = accuracy != nil }
  }

  mutating func send(_ request: OutgoingRequest, at now: Moment) {
    waiting.append(request)
    sent.append(request)
  }

  mutating func cancel(request: UInt64) {
    cancelled.append(request)
    waiting.removeAll { $0.id == request }
  }

  mutating func backgroundTask(id: Int, isStart: Bool) { backgroundTasks.append(isStart ? id : -id) }
  mutating func deliver(_ event: HostEvent, at now: Moment) { events.append(event) }
  mutating func log(_ entry: LogEntry, at now: Moment) { entries.append(entry) }
  mutating func destroyLog() { logWasDestroyed = true }
  mutating func compressedLog() -> [UInt8] { [0x1F, 0x8B, 8, 0] }
}
