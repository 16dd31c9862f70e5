package import Base
package import Contract
package import Database
import DeviceLog
package import Engine
import JSON
package import Queue
package import Upload
package import Vocabulary

/// One device with an app that uses the SDK: engine, uploader, queue and persistent state. It passes inputs to each part and
/// performs their effects in order, until no more follow. Effects for the platform are returned by `takeEffects` after a call.
///
/// An error of the store is logged, and the device continues.
package struct DeviceHost {
  package internal(set) var configuration: Configuration
  package internal(set) var engine: Engine
  package internal(set) var uploader: Uploader
  /// Rows must stay where the uploader left them: read the queue here, but change it through the host.
  package internal(set) var queue: DeviceQueue

  let description: DeviceDescription
  let storage: DeviceStorage
  let scratch: HostScratch
  var renderer: RecordRenderer
  /// Nil until `ready`.
  var launch: Launch?
  var isFirstBoot: Bool
  var isStateSaved = true
  /// Whether the store has refused the last record.
  var isInsertRefused = false
  private var keptRetry: Bool
  var waitingSyncs: [UInt64] = []
  /// The parts of the stored state that could not be read, until the log is open.
  private var unreadable: [String]
  var lastPurge: MonotonicInstant?
  /// The instant by which `timersDue` must be called.
  package private(set) var nextDeadline: MonotonicInstant?

  /// Restores the device from the database. `identity` generates the uuids of records: every launch needs another
  /// stream, or they repeat. `firstRequest` is for platforms where answers to an earlier launch can still arrive:
  /// `uploader.nextRequestID` of that launch. `clockFactor` is passed to the uploader, `quirks` to the engine.
  package init(
    _ description: DeviceDescription, database: QueueDatabase, device: Int,
    identity: RandomStream, quirks: EngineQuirks = .documented, firstRequest: UInt64 = 1, clockFactor: Double = 1,
    scratch: HostScratch, at now: Moment
  ) throws(DatabaseError) {
    let storage = DeviceStorage(database, device: device, platform: description.platform)
    let kept = try storage.kept()
    let configuration = kept.configuration ?? Configuration(platform: description.platform)
    engine = Engine(
      configuration: configuration, state: kept.engineState, geofences: kept.geofences, identity: identity,
      quirks: quirks)
    uploader = Uploader(
      configuration: configuration, connectivity: .none, userAgent: description.userAgent,
      tokenSetAt: kept.tokenSetAt ?? now.wall, isRetryDue: kept.isRetryDue, nextRequestID: firstRequest,
      clockFactor: clockFactor)
    queue = database.queue(of: device)
    // Locks belonged to the process that has ended (SDK §7.2).
    queue.unlockAll()
    renderer = RecordRenderer(configuration)
    isFirstBoot = kept.configuration == nil
    keptRetry = kept.isRetryDue
    unreadable = kept.unreadable
    self.configuration = configuration
    self.description = description
    self.storage = storage
    self.scratch = scratch
  }

  package var isReady: Bool { launch != nil }
  /// Whether only the service runs: Android, after the app was closed, until `ready` or the end of the process.
  package var isHeadless: Bool { engine.isHeadless }

  /// Must be called once for each launch; nothing has an effect before. `configure` creates the configuration from the
  /// stored one, which is nil on the first launch, by one of the functions `Configuration.ready`.
  package mutating func ready(
    _ launch: Launch, at now: Moment,
    configure: (Configuration?) -> (configuration: Configuration, change: ConfigurationChange)
  ) {
    let isBeginning = !isReady
    precondition(isBeginning || isHeadless, "ready comes once for each launch")
    if isHeadless { isFirstBoot = false }
    var launch = launch
    launch.isFirstBoot = isFirstBoot
    var result = configure(isFirstBoot ? nil : configuration)
    // The app may have changed the configuration before this.
    result.change.changedKeys = result.configuration.changedKeys(since: configuration)
    adopt(result.configuration, result.change, at: now)
    if isFirstBoot && result.change.changedKeys.isEmpty { saveConfiguration(at: now) }
    self.launch = launch
    for name in unreadable { log(.error("Cannot read saved state: \(name)"), at: now) }
    unreadable = []
    if isBeginning { log(.unlockedAll, at: now) }
    purge(at: now)
    run(.ready(launch), at: now)
    let syncs = waitingSyncs
    waitingSyncs = []
    for completion in syncs { run(.sync(completion: completion), at: now) }
    settle(at: now)
  }

  /// Takes an input of the platform, or a call of the app to the engine, except for `.configured` and `.ready`.
  package mutating func receive(_ input: EngineInput, at now: Moment) {
    switch input {
    case .configured, .ready: preconditionFailure("by the host's own methods")
    case .connectivity(let connectivity): change(connectivity, at: now)
    case .foreground:
      if isReady { purge(at: now) }
      run(input, at: now)
    default: run(input, at: now)
    }
    settle(at: now)
  }

  /// Takes the answer to a request that the platform sent.
  package mutating func answer(_ request: UInt64, _ outcome: RequestOutcome, at now: Moment) {
    run(.answered(request: request, outcome), at: now)
    settle(at: now)
  }

  package mutating func timersDue(at now: Moment) {
    if let nextPurge, nextPurge <= now.monotonic { purge(at: now) }
    run(EngineInput.timersDue, at: now)
    uploadTimersDue(at: now)
  }

  /// Fires only the uploader's timers: for a device that receives no more input but still uploads.
  package mutating func uploadTimersDue(at now: Moment) {
    run(UploadInput.timersDue, at: now)
    settle(at: now)
  }

  /// Returns the effects of the calls since the last time, in order. All of them must be taken before another host of the thread
  /// is called. Results of an effect are passed to the host later. The list may be given back to the scratch.
  package func takeEffects() -> [HostEffect] { scratch.takeHostEffects() }

  private mutating func change(_ connectivity: Connectivity, at now: Moment) {
    let isRelease =
      uploader.connectivity == .cellular && connectivity == .wifi && configuration.http.disableAutoSyncOnCellular
    run(UploadInput.connectivity(connectivity), at: now)
    run(EngineInput.connectivity(connectivity), at: now)
    // The engine flushes when a network becomes available; rows that wait for Wi-Fi are sent when it is Wi-Fi.
    if isReady && isRelease { run(.trigger(.connectivity), at: now) }
  }

  /// Ends every input: the odometer changes with each fix, and is stored once.
  mutating func settle(at now: Moment) {
    nextDeadline = earlier(earlier(engine.nextDeadline, uploader.nextDeadline), nextPurge)
    let isRetryDue = uploader.isRetryDue
    guard !isStateSaved || isRetryDue != keptRetry else { return }
    do throws(DatabaseError) {
      if isRetryDue != keptRetry { try storage.save(isRetryDue: isRetryDue) }
      keptRetry = isRetryDue
      try storage.save(engine.state, with: &scratch.state)
      isStateSaved = true
    } catch { report(error, at: now) }
  }
}

/// Inputs in, effects out, depth first: the consequences of an effect precede the next effect.
extension DeviceHost {
  mutating func run(_ input: EngineInput, at now: Moment) {
    var effects = scratch.takeEngineEffects()
    engine.receive(input, at: now, into: &effects)
    for effect in effects { perform(effect, at: now) }
    scratch.giveBack(consume effects)
  }

  mutating func run(_ input: UploadInput, at now: Moment) {
    var effects = scratch.takeUploadEffects()
    uploader.receive(input, at: now, queue: &queue, into: &effects)
    for effect in effects { perform(effect, at: now) }
    scratch.giveBack(consume effects)
  }

  private mutating func perform(_ effect: Effect, at now: Moment) {
    switch effect {
    case .persist(let record, let kind): insert(record, kind, at: now)
    case .event(let event): emit(.deliver(.engine(event)))
    case .completed(let id, let result): emit(.deliver(.position(id: id, result)))
    case .demand(let demand): emit(.demand(demand))
    // A location is uploaded as soon as it is written (HttpConfig `autoSync`); one that was not begins no upload.
    case .flush(.insert): if !isInsertRefused { run(.trigger(.insert), at: now) }
    case .flush(let trigger): run(.trigger(trigger), at: now)
    case .saveState: isStateSaved = false
    case .saveGeofence(let fence):
      do throws(DatabaseError) {
        try storage.save(fence)
      } catch { report(error, at: now) }
    case .deleteGeofences(let identifiers):
      do throws(DatabaseError) {
        try storage.deleteGeofences(identifiers)
      } catch { report(error, at: now) }
    case .backgroundTask(let id, let isStart): emit(.backgroundTask(id: id, isStart: isStart))
    case .log(let entry): log(entry, at: now)
    }
  }

  private mutating func perform(_ effect: UploadEffect, at now: Moment) {
    switch effect {
    case .send(let request): emit(.send(request))
    case .http(let event): emit(.deliver(.http(event)))
    case .authorization(let event): emit(.deliver(.authorization(event)))
    case .commands(let received): carryOut(received, at: now)
    case .proceed: run(UploadInput.proceed, at: now)
    case .tokens(let tokens): use(tokens, at: now)
    case .synced(let completion, let result):
      emit(.deliver(.synced(completion: completion, result)))
    case .discarded(let uuids): discarded(uuids, .destroyed)
    case .logUploaded(Self.noCaller, let isSuccess, let status):
      if !isSuccess { log(.warning("uploadLog has failed with status \(status)", from: .logger), at: now) }
    case .logUploaded(let completion, let isSuccess, let status):
      emit(.deliver(.logUploaded(completion: completion, isSuccess: isSuccess, status: status)))
    case .log(let entry): log(entry, at: now)
    }
  }

  /// The completion of a log upload that a server requested.
  static var noCaller: UInt64 { .max }

  func emit(_ effect: HostEffect) { scratch.hostEffects.append(effect) }

  func log(_ entry: LogEntry, at now: Moment) {
    if entry.level <= configuration.logger.logLevel { emit(.log(entry, at: now.wall)) }
  }

  func report(_ error: DatabaseError, at now: Moment) { log(.error("\(error)", from: .records), at: now) }
}

/// Buffers shared by all hosts of a thread, one after the other, so that an idle host holds none.
package final class HostScratch {
  private var engineEffects: [[Effect]] = []
  private var uploadEffects: [[UploadEffect]] = []
  /// The effects of the host that was called last, in order.
  var hostEffects: [HostEffect] = []
  private var spares: [[HostEffect]] = []

  var record: [UInt8] = []
  var state = JSONWriter(capacity: 256)

  package init() {}

  /// Returns an empty list, to be given back. Several may be in use, because commands run the engine while the effects
  /// of an upload are still open.
  func takeEngineEffects() -> [Effect] { engineEffects.popLast() ?? [] }
  func takeUploadEffects() -> [UploadEffect] { uploadEffects.popLast() ?? [] }

  func takeHostEffects() -> [HostEffect] {
    guard !hostEffects.isEmpty else { return [] }
    var taken = spares.popLast() ?? []
    swap(&taken, &hostEffects)
    return taken
  }

  package func giveBack(_ effects: consuming [HostEffect]) {
    guard effects.capacity > 0 else { return }
    effects.removeAll(keepingCapacity: true)
    spares.append(effects)
  }

  func giveBack(_ effects: consuming [Effect]) {
    effects.removeAll(keepingCapacity: true)
    engineEffects.append(effects)
  }

  func giveBack(_ effects: consuming [UploadEffect]) {
    effects.removeAll(keepingCapacity: true)
    uploadEffects.append(effects)
  }
}
