package import AnswerCheck
package import Base
import Contract
package import Database
import Engine
import Host
import Queue
package import Upload
package import Vocabulary
import World

/// One phone that a person steers: the real engine, queue and uploader, in whatever time the caller lets pass. It says
/// when it is to be called, which requests are to be sent, and what there is to read.
package struct Drive {
  package private(set) var checker = AnswerChecker()
  /// What there is to read since the last time it was taken.
  var lines: [DriveLine] = []
  /// The last exchange, whole.
  package private(set) var lastAnswer: ObservedAnswer?

  let settings: DriveSettings
  let database: QueueDatabase
  let scratch = HostScratch()
  /// Stays when the app is gone: what it asked of the phone.
  var host: DeviceHost<DrivenPhone>
  var isRunning = false
  var isInBackground = false
  var launches: UInt64 = 0
  var comesBackAt: MonotonicInstant?
  /// The phone is off, and comes back; not only its app.
  var isSwitchingOn = false
  /// The app has not run since.
  var hasRebooted = false
  /// iOS, while the app does not run.
  var fetchesAt: MonotonicInstant?

  var body: Body
  var transport: Transport?
  var ways: UInt64 = 0
  var receiver: Receiver
  var activity: ActivitySensor
  var nextFix: MonotonicInstant?
  var battery = Battery(level: 0.9, isCharging: false)
  var geofences = 0

  var isScreenOn = true
  var isInTunnel = false
  var isInAirplaneMode = false
  var radio = Connectivity.wifi
  var connectivity = Connectivity.none
  /// Sent, and not ended yet.
  var inFlight: [UInt64: OutgoingRequest] = [:]
  var orders: [DriveOrder] = []
  private var createdCount = 0
  private var uploadedCount = 0

  static let identityConcern: UInt64 = 1 << 32

  /// The app is opened and starts tracking.
  package init(_ settings: DriveSettings, at now: Moment) throws(DatabaseError) {
    self.settings = settings
    database = try QueueDatabase(path: ":memory:", commits: .grouped)
    database.notes = []
    body = DrivenWay.body(restingAt: settings.start, at: now.monotonic)
    receiver = Receiver(model: .inVehicle, seed: settings.seed, device: 0)
    activity = ActivitySensor(truth: .still, at: now.monotonic, seed: settings.seed, device: 0)
    host = try DeviceHost(
      settings.description, on: DrivenPhone(settings.platform), database: database, device: 0,
      identity: RandomStream(seed: settings.seed, device: 0, concern: Drive.identityConcern),
      quirks: settings.quirks, scratch: scratch, at: now)
    begin(Launch(), at: now)
    host.receive(.call(.start), at: now)
    settle(at: now)
    try commit()
  }

  package mutating func takeLines() -> [DriveLine] {
    defer { lines = [] }
    return lines
  }

  package mutating func takeOrders() -> [DriveOrder] {
    defer { orders = [] }
    return orders
  }

  /// Records that wait on the phone.
  package var queuedCount: Int { host.queue.count }
  package var hasRequestsInFlight: Bool { !inFlight.isEmpty }

  /// What has become of the records.
  package var account: String {
    "\(createdCount) records made, \(uploadedCount) uploaded, \(queuedCount) still on the phone"
  }

  /// The end of a request that was ordered; one that was given up meanwhile changes nothing.
  package mutating func answer(
    _ id: UInt64, _ outcome: RequestOutcome, head: AnswerHead?, duration: Nanoseconds, at now: Moment
  ) throws(DatabaseError) {
    guard let request = inFlight.removeValue(forKey: id) else { return }
    let answer = ObservedAnswer(
      request, outcome, head: head, duration: duration, endedAt: now.wall,
      canRefresh: host.configuration.authorization.refreshUrl != nil,
      strategy: host.configuration.authorization.strategy)
    lastAnswer = answer
    lines.append(.ended(answer, checker.check(answer).findings))
    host.answer(id, outcome, at: now)
    settle(at: now)
    try commit()
  }

  /// What follows at once from what just happened, and what the app did to its queue.
  mutating func settle(at now: Moment) {
    lines += host.platform.lines
    host.platform.lines = []
    post(at: now)
    for note in database.notes ?? [] {
      switch note {
      case .inserted: createdCount += 1
      case .deleted(device: _, row: _, let cause): if cause == .upload { uploadedCount += 1 }
      default: break
      }
    }
    database.notes?.removeAll(keepingCapacity: true)
    planFixes(at: now.monotonic)
  }

  /// Everything is in memory; this only ends the group.
  func commit() throws(DatabaseError) { try database.commit() }
}
