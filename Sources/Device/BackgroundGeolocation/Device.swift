import Base
import Contract
import Database
import Engine
import Host
import Synchronization
import Upload
import Vocabulary

/// The device behind one `BGGeo`. The caller works on its host under a lock, so a call has taken effect when it returns. Events
/// are queued while the lock is held, which keeps them in order; requests are sent after the lock is released.
final class Device: Sendable {
  let platform: LinuxPlatform
  private let queue: Mutex<CallbackQueue>
  let listeners = DeviceListeners()
  let style: RecordStyle
  /// Identifies its alarm, and the device wherever several are kept.
  private let number: Int
  private let process: DeviceProcess
  private let outbox = Mutex((requests: [OutgoingRequest](), isSending: false))

  init(
    folder: String?, platform: LinuxPlatform, callbacks: CallbackQueue, seed: UInt64
  ) throws(BGGeoError) {
    self.platform = platform
    queue = Mutex(callbacks)
    style = .of(platform.description.platform)
    number = platform.clock.makeAlarmNumber()
    let service = platform.service(in: folder)
    if let service {
      process = service.process
    } else {
      process = DeviceProcess(
        try DeviceCore(folder: folder, platform: platform, seed: seed, at: platform.clock.moment))
    }
    process.core.withLock { core in
      core?.holder = self
      core?.holderNumber = number
    }
    if let service { takeOver(from: service) } else { try begin(in: folder) }
  }

  deinit { close() }

  /// Starts the device as the first of its process.
  private func begin(in folder: String?) throws(BGGeoError) {
    let left = perform { core, _ in core.host.engine.leftWithSystem } ?? []
    guard platform.attach(attachment, folder: folder, left: left) else {
      throw BGGeoError("the platform is used by another instance")
    }
    receive(platform.initialInputs)
    for missed in platform.takeMissed() {
      perform { core, _ in core.host.receive(missed.input, at: missed.moment) }
    }
  }

  private var attachment: LinuxPlatform.Attachment {
    LinuxPlatform.Attachment(
      number: number, receive: { [weak self] in self?.receive($0) }, end: { [weak self] in self?.close($0) })
  }

  /// Continues the process of the service; its alarm is now that of this device.
  private func takeOver(from service: Device) {
    platform.clock.setAlarm(service.number, nil)
    platform.takeOver(attachment)
    perform { _, _ in }
  }

  /// The user closes the app. On Android the service continues without listeners until it is taken over or closed.
  func terminate() {
    let ended = perform { core, now in
      defer { core.waiting.watches = [:] }
      core.host.receive(.terminate, at: now)
      return (isHeadless: core.host.isHeadless, watches: core.waiting.watches)
    }
    for watch in ended?.watches.values.map(\.self) ?? [] { watch.end() }
    guard ended?.isHeadless == true else { return close(.closed) }
    listeners.removeAll()
    platform.keep(service: self)
  }

  /// Ends the process: unstored state is lost, and pending calls fail with 499. Further calls have no effect.
  func close(_ end: ProcessEnd = .killed) {
    let waiting = process.core.withLock { core -> DeviceCore.Waiting? in
      guard core?.holderNumber == number else { return nil }
      defer { core = nil }
      return core?.waiting
    }
    guard let waiting else { return }
    platform.detach(number, end)
    platform.clock.setAlarm(number, nil)
    waiting.fail()
  }

  var callbacks: CallbackQueue {
    get { queue.withLock { $0 } }
    set { queue.withLock { $0 = newValue } }
  }

  /// Returns nil when the device is closed.
  @discardableResult
  func perform<Result: Sendable>(_ work: (inout DeviceCore, Moment) -> Result) -> Result? {
    let now = platform.clock.moment
    let (result, requests) = process.core.withLock { core -> (Result?, [OutgoingRequest]) in
      guard core?.holderNumber == number, var open = core.take() else { return (nil, []) }
      defer { core = open }
      let result = work(&open, now)
      return (result, settle(&open, at: now))
    }
    send(requests)
    return result
  }

  func call(_ call: EngineCall) { perform { $0.host.receive(.call(call), at: $1) } }

  private func receive(_ inputs: [EngineInput]) {
    perform { core, now in for input in inputs { core.host.receive(input, at: now) } }
  }

  private func timersDue() {
    perform { core, now in
      core.host.timersDue(at: now)
      self.expireWatches(&core, at: now)
    }
  }

  /// A transport may answer inside the call, which triggers the next request: one loop sends them all.
  private func send(_ requests: [OutgoingRequest]) {
    guard !requests.isEmpty else { return }
    let isFirst = outbox.withLock { outbox in
      defer { outbox.isSending = true }
      outbox.requests += requests
      return !outbox.isSending
    }
    guard isFirst else { return }
    while let request = nextRequest() { send(request) }
  }

  private func nextRequest() -> OutgoingRequest? {
    outbox.withLock { outbox in
      outbox.isSending = !outbox.requests.isEmpty
      return outbox.isSending ? outbox.requests.removeFirst() : nil
    }
  }

  private func send(_ request: OutgoingRequest) {
    let id = request.id
    platform.transport.send(request) { [process] outcome in
      process.holder?.perform { $0.host.answer(id, outcome, at: $1) }
    }
  }

  /// Performs the effects that the host leaves to its platform, until no more follow.
  private func settle(_ core: inout DeviceCore, at now: Moment) -> [OutgoingRequest] {
    var requests: [OutgoingRequest] = []
    var effects = core.host.takeEffects()
    while !effects.isEmpty {
      var inputs: [EngineInput] = []
      for effect in effects {
        switch effect {
        case .demand(let demand): inputs += platform.apply(demand)
        case .send(let request): requests.append(request)
        case .deliver(let event) where core.host.isHeadless && event.isForListeners: break
        case .deliver(.engine(.schedule)):
          let event = ScheduleEvent(state: State(core.host.state))
          callbacks.add { [listeners] in listeners.schedule.calls(event) }
        case .deliver(let event): deliver(event, &core.waiting, at: now)
        case .log(let entry, let wall): core.log.append(entry, at: wall)
        case .destroyLog: core.log.destroy()
        case .uploadLog(let url):
          core.host.uploadLog(to: url, gzip: core.log.compressed(), completion: nil, at: now)
        // Processes here are never suspended.
        case .backgroundTask: break
        }
      }
      for input in inputs { core.host.receive(input, at: now) }
      effects = core.host.takeEffects()
    }
    let alarm = core.nextDeadline.map { deadline in
      DeviceClock.Alarm(instant: deadline) { [weak self] in self?.timersDue() }
    }
    platform.clock.setAlarm(number, alarm)
    return requests
  }

  private func deliver(_ event: HostEvent, _ waiting: inout DeviceCore.Waiting, at now: Moment) {
    switch event {
    case .position(let id, let result):
      if let watcher = waiting.watches[id] {
        waiting.watches[id]?.begin(at: now)
        switch result {
        case .success(let record):
          let location = LocationEvent(record, style: style)
          callbacks.add { [watcher.succeed(location)] }
        case .failure(let reason):
          let error = LocationError(code: reason.code, message: "\(reason)")
          callbacks.add { [watcher.fail(error)] }
        }
      } else {
        waiting.positions.removeValue(forKey: id)?.resume(
          with: result.mapError { LocationError(code: $0.code, message: "\($0)") })
      }
    case .synced(let completion, let result):
      waiting.syncs.removeValue(forKey: completion)?.resume(with: result.mapError { $0.thrown })
    case .logUploaded(let completion, let isSuccess, let status):
      let continuation = waiting.logUploads.removeValue(forKey: completion)
      if isSuccess {
        continuation?.resume()
      } else {
        let reason = status == 0 ? "no answer" : "status \(status)"
        continuation?.resume(throwing: BGGeoError("the log was not taken: \(reason)", code: status))
      }
    case .discarded, .configured, .commanded: break
    case .engine, .http, .authorization:
      callbacks.add { [listeners, style] in listeners.calls(event, style: style) }
    }
  }
}

extension HostEvent {
  fileprivate var isForListeners: Bool {
    switch self {
    case .engine, .http, .authorization: true
    case .position, .synced, .logUploaded, .discarded, .configured, .commanded: false
    }
  }
}

extension DeviceCore.Waiting {
  /// Fails everything that waits.
  func fail() {
    let cancelled = LocationError.cancelled
    for id in positions.keys.sorted() { positions[id]?.resume(throwing: cancelled) }
    for id in syncs.keys.sorted() { syncs[id]?.resume(throwing: cancelled) }
    for id in logUploads.keys.sorted() { logUploads[id]?.resume(throwing: cancelled) }
    for id in readiness.keys.sorted() { readiness[id]?.resume(throwing: cancelled) }
    for watch in watches.values { watch.end() }
  }

  /// `ready` was called: calls that waited for it continue, and the timeouts of watches start.
  mutating func resume(at now: Moment) {
    for id in readiness.keys.sorted() { readiness.removeValue(forKey: id)?.resume() }
    for id in watches.keys where watches[id]?.deadline == nil { watches[id]?.begin(at: now) }
  }
}

extension SyncError {
  /// Errors of the store have no code.
  var thrown: any Error { HttpError(self).map { $0 as any Error } ?? BGGeoError("the store cannot be read or written") }
}

/// The process of an app on the phone. On Android it outlives its app, and the next one takes it over.
final class DeviceProcess: Sendable {
  /// Nil once the process is closed.
  let core: Mutex<DeviceCore?>

  init(_ core: sending DeviceCore) { self.core = Mutex(core) }

  /// The device that receives answers from the network.
  var holder: Device? { core.withLock { $0?.holder } }
}

extension Device {
  /// Asks the device and waits for its answer. A cancelled task gets 499 at once, unless the answer was faster: the
  /// side that removes the continuation from the list resumes it.
  func answer<Answer: Sendable>(
    ask: @Sendable (inout DeviceCore, CheckedContinuation<Answer, any Error>, Moment) -> Void,
    cancel: @escaping @Sendable (inout DeviceCore) -> CheckedContinuation<Answer, any Error>?
  ) async throws -> Answer {
    try Self.checkCancellation()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isAsked: Void? = perform { core, now in ask(&core, continuation, now) }
        if isAsked == nil {
          continuation.resume(throwing: LocationError.cancelled)
        } else if Task.isCancelled {
          // The handler may have run before the continuation was registered.
          giveUp(cancel)
        }
      }
    } onCancel: {
      giveUp(cancel)
    }
  }

  private func giveUp<Answer: Sendable>(
    _ cancel: @Sendable (inout DeviceCore) -> CheckedContinuation<Answer, any Error>?
  ) {
    let continuation = perform { core, _ in cancel(&core) }
    (continuation ?? nil)?.resume(throwing: LocationError.cancelled)
  }

  private static func checkCancellation() throws(LocationError) {
    if Task.isCancelled { throw .cancelled }
  }
}
