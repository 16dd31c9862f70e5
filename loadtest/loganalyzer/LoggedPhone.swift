import Base
import DeviceLog
import Engine
import Host
import Upload
import Vocabulary

/// A phone that writes the device's log into memory, and counts what the log is held against.
struct LoggedPhone: Platform {
  var waiting: [OutgoingRequest] = []
  var isSampling = false
  var stationaryRegion: Circle?
  var log: [UInt8] = []
  /// Records that left the queue without an upload.
  private(set) var discardedCount = 0
  private(set) var destroyedByApp = 0
  private let text: LogText

  init(_ text: LogText) { self.text = text }

  mutating func demand(_ demand: SensorDemand, at now: Moment) {
    switch demand {
    case .sampling(let accuracy): isSampling = accuracy != nil
    case .stationaryRegion(let circle): stationaryRegion = circle
    case .locationUpdates, .proximityRegion, .geofences, .activityUpdates, .significantChanges, .backgroundFetch: break
    }
  }

  mutating func send(_ request: OutgoingRequest, at now: Moment) { waiting.append(request) }
  mutating func cancel(request: UInt64) { waiting.removeAll { $0.id == request } }
  mutating func backgroundTask(id: Int, isStart: Bool) {}

  mutating func deliver(_ event: HostEvent, at now: Moment) {
    guard case .discarded(let uuids, let reason) = event else { return }
    discardedCount += uuids.count
    if reason == .destroyed { destroyedByApp += uuids.count }
  }

  mutating func log(_ entry: LogEntry, at now: Moment) { text.append(entry, at: now.wall, to: &log) }
  mutating func destroyLog() { log = [] }
  mutating func compressedLog() -> [UInt8] { [0x1F, 0x8B, 8, 0] }
}
