import Base
import DeviceLog
import Engine
import Gzip
import Host
import Upload
import Vocabulary

/// The phone under a simulated app: remembers what is wanted of it until the device has time to do it.
struct SimulatedPhone: Platform {
  var updates: LocationUpdates?
  var isSampling = false
  var wantsActivities = false
  var region: Circle?
  var regionIsNew = false
  /// What else is wanted, until the device has heeded it.
  var orders: [SensorDemand] = []
  var outbox: [OutgoingRequest] = []
  var cancelled: [UInt64] = []
  /// What the app was told since the watchers heard of it the last time.
  var told: [HostEvent] = []
  var logged: [LogEntry] = []
  /// Whether the watchers hear of what is logged.
  var isLogged = false
  /// For a server that asks for it; nil in runs in which none can.
  var recentLog: RecentLog?

  /// What the system watches on when the process is gone.
  init(watching region: Circle? = nil) { self.region = region }

  mutating func demand(_ demand: SensorDemand, at now: Moment) {
    switch demand {
    case .locationUpdates(let updates): self.updates = updates
    case .sampling(let accuracy): isSampling = accuracy != nil
    case .stationaryRegion(let region):
      self.region = region
      regionIsNew = true
    case .activityUpdates(let isOn): wantsActivities = isOn
    case .proximityRegion, .geofences, .significantChanges, .backgroundFetch: orders.append(demand)
    }
  }

  mutating func send(_ request: OutgoingRequest, at now: Moment) { outbox.append(request) }
  mutating func cancel(request: UInt64) { cancelled.append(request) }
  mutating func backgroundTask(id: Int, isStart: Bool) {}
  mutating func deliver(_ event: HostEvent, at now: Moment) { told.append(event) }
  mutating func log(_ entry: LogEntry, at now: Moment) {
    if isLogged { logged.append(entry) }
    recentLog?.append(entry, at: now.wall)
  }

  mutating func destroyLog() { recentLog?.removeAll() }

  mutating func compressedLog() -> [UInt8] {
    let none = "this phone keeps no log: the run has no server that can ask for it\n"
    return GzipFile.pack(recentLog?.content ?? Array(none.utf8))
  }
}
