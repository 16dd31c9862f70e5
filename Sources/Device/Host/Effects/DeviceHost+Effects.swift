import Contract
import Database
import DeviceLog
import Engine
import Upload
import Vocabulary

/// Inputs in, effects out, one after the other: what an effect causes comes before the next one.
extension DeviceHost {
  mutating func run(_ input: EngineInput, at now: Moment) {
    var effects = scratch.takeEngineEffects()
    engine.receive(input, at: now, into: &effects)
    for effect in effects { perform(effect, at: now) }
    scratch.giveBack(effects)
  }

  mutating func run(_ input: UploadInput, at now: Moment) {
    var effects = scratch.takeUploadEffects()
    uploader.receive(input, at: now, queue: &queue, into: &effects)
    for effect in effects { perform(effect, at: now) }
    scratch.giveBack(effects)
  }

  private mutating func perform(_ effect: Effect, at now: Moment) {
    switch effect {
    case .persist(let record, let kind): insert(record, kind, at: now)
    case .event(let event): platform.deliver(.engine(event), at: now)
    case .completed(let id, let result): platform.deliver(.position(id: id, result), at: now)
    case .demand(let demand): platform.demand(demand, at: now)
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
    case .backgroundTask(let id, let isStart): platform.backgroundTask(id: id, isStart: isStart)
    case .log(let entry): log(entry, at: now)
    }
  }

  private mutating func perform(_ effect: UploadEffect, at now: Moment) {
    switch effect {
    case .send(let request): platform.send(request, at: now)
    case .http(let event): platform.deliver(.http(event), at: now)
    case .authorization(let event): platform.deliver(.authorization(event), at: now)
    case .commands(let received): carryOut(received, at: now)
    case .proceed: run(UploadInput.proceed, at: now)
    case .tokens(let tokens): use(tokens, at: now)
    case .synced(let completion, let result):
      platform.deliver(.synced(completion: completion, result), at: now)
    case .discarded(let uuids): discarded(uuids, .destroyed, at: now)
    case .logUploaded(Self.nobody, let isSuccess, let status):
      if !isSuccess { log(.warning("uploadLog has failed with status \(status)", from: .logger), at: now) }
    case .logUploaded(let completion, let isSuccess, let status):
      platform.deliver(.logUploaded(completion: completion, isSuccess: isSuccess, status: status), at: now)
    case .log(let entry): log(entry, at: now)
    }
  }

  /// Waits for the log that a server asked for.
  static var nobody: UInt64 { .max }

  mutating func log(_ entry: LogEntry, at now: Moment) {
    if entry.level <= configuration.logger.logLevel { platform.log(entry, at: now) }
  }

  mutating func report(_ error: DatabaseError, at now: Moment) { log(.error("\(error)", from: .records), at: now) }
}
