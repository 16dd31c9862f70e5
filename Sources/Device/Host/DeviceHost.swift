package import Base
package import Contract
package import Database
import DeviceLog
package import Engine
import JSON
package import Queue
package import Upload
package import Vocabulary

/// One device with an app that uses the SDK: engine, uploader, queue and what survives the process. It gives each its
/// inputs and performs their effects in order, until nothing follows any more. What is left to do is the platform's:
/// `takeEffects` returns it after a call.
///
/// What fails in the store is logged as an error and goes no further; the device goes on.
package struct DeviceHost {
  package internal(set) var configuration: Configuration
  package internal(set) var engine: Engine
  package internal(set) var uploader: Uploader
  /// Sees to it that rows stay where the uploader left them: read it, change it through the host.
  package internal(set) var queue: DeviceQueue

  let description: DeviceDescription
  let storage: DeviceStorage
  let scratch: HostScratch
  var renderer: RecordRenderer
  /// Nil until `ready`.
  var launch: Launch?
  var isFirstBoot: Bool
  var isStateSaved = true
  private var keptRetry: Bool
  var waitingSyncs: [UInt64] = []
  /// What of the last launch could not be read, until the log is open.
  private var unreadable: [String]
  var lastPurge: MonotonicInstant?
  /// When `timersDue` is wanted at the latest.
  package private(set) var nextDeadline: MonotonicInstant?

  /// Takes up what the device has kept in the database. `identity` numbers the records: every launch needs another
  /// stream, or the uuids of an earlier one come again. `firstRequest` is for platforms where answers to an earlier
  /// launch can still come: `uploader.nextRequestID` of that one. `clockFactor` is that of the uploader, `quirks` are
  /// those of the engine.
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
    // Locks belong to the process that has ended (SDK §7.2).
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
  /// Android, after the app was closed: its service goes on until `ready` opens the app again, or the process ends.
  package var isHeadless: Bool { engine.isHeadless }

  /// Once for each launch, before anything else has an effect. `configure` makes the configuration from the one that was
  /// kept, which is nil on the first launch, by one of the ways of `Configuration.ready`.
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
    // The app may have configured something before this.
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

  /// What the platform senses, and what the app asks of the engine. Configuration and `ready` have ways of their own.
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

  /// The answer to a request that the platform was told to send.
  package mutating func answer(_ request: UInt64, _ outcome: RequestOutcome, at now: Moment) {
    run(.answered(request: request, outcome), at: now)
    settle(at: now)
  }

  package mutating func timersDue(at now: Moment) {
    if let nextPurge, nextPurge <= now.monotonic { purge(at: now) }
    run(EngineInput.timersDue, at: now)
    uploadTimersDue(at: now)
  }

  /// Only those of the uploader: for a device to which nothing happens any more but that what it has is sent.
  package mutating func uploadTimersDue(at now: Moment) {
    run(UploadInput.timersDue, at: now)
    settle(at: now)
  }

  /// What the calls since the last time want done, in their order; all of it, before another host of the thread is called.
  /// What comes of an effect is given to the host later. The list may be given back to the scratch.
  package func takeEffects() -> [HostEffect] { scratch.takeHostEffects() }

  private mutating func change(_ connectivity: Connectivity, at now: Moment) {
    let isRelease =
      uploader.connectivity == .cellular && connectivity == .wifi && configuration.http.disableAutoSyncOnCellular
    run(UploadInput.connectivity(connectivity), at: now)
    run(EngineInput.connectivity(connectivity), at: now)
    // The engine flushes when a network comes; rows that wait for Wi-Fi go when it is one.
    if isReady && isRelease { run(.trigger(.connectivity), at: now) }
  }

  /// At the end of every input: the odometer changes with each fix, and is kept once.
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

/// Inputs in, effects out, one after the other: what an effect causes comes before the next one.
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

  /// Waits for the log that a server asked for.
  static var noCaller: UInt64 { .max }

  func emit(_ effect: HostEffect) { scratch.hostEffects.append(effect) }

  func log(_ entry: LogEntry, at now: Moment) {
    if entry.level <= configuration.logger.logLevel { emit(.log(entry, at: now.wall)) }
  }

  func report(_ error: DatabaseError, at now: Moment) { log(.error("\(error)", from: .records), at: now) }
}

/// Memory that all hosts of a thread work in, one after the other, so that an idle one holds none.
package final class HostScratch {
  private var engineEffects: [[Effect]] = []
  private var uploadEffects: [[UploadEffect]] = []
  /// Of the host that was called last, in their order.
  var hostEffects: [HostEffect] = []
  private var spares: [[HostEffect]] = []

  var record: [UInt8] = []
  var state = JSONWriter(capacity: 256)

  package init() {}

  /// An empty list, to be given back. Commands make an engine work while the effects of an upload are still open, so
  /// that there may be several.
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
