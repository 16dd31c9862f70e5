import Base
import Contract
import Database
import Queue
import Vocabulary

/// The start of a flush (SDK §8.5).
extension Uploader {
  mutating func begin(
    _ trigger: FlushTrigger, completion: UInt64?, _ now: Moment, _ queue: inout some RecordQueue,
    _ effects: inout [UploadEffect]
  ) {
    // The back-off after a failure of the network counts inserts (SDK §9.3).
    if trigger == .insert { insertsToWait = max(0, insertsToWait - 1) }
    let queued = queue.count
    // An earlier failure is over when the queue is empty or holds only the new record.
    if queued == 0 || trigger == .insert && queued == 1 { hasFailed = false }
    let isManual = trigger == .manual
    // An upload that is prevented now follows as soon as possible, regardless of the threshold (SDK §8.5.3).
    let isOwed = queued > 0 && (isManual || trigger == .motionChange)
    if let obstacle = obstacle(to: trigger) {
      if obstacle == .noNetwork && isOwed { hasFailed = true }
      return refuse(obstacle, completion, &effects)
    }
    if isManual && policy.destination == .none { return handOut(to: completion, &queue, &effects) }
    if !isManual {
      if policy.defersOnCellular && connectivity == .cellular {
        if isOwed { hasFailed = true }
        return
      }
      guard isDue(trigger, queued: queued) else { return }
    }
    log(.flushBegan(trigger: trigger, queued: queued), &effects)
    logWatchdog(&effects)
    let flush = Flush(trigger: trigger, completion: completion, beganAt: now.monotonic, queuedBefore: queued)
    sendNextRequest(of: flush, now, &queue, &effects)
  }

  private enum Obstacle {
    case busy, autoSyncDisabled, noURL, unusableURL, noNetwork
  }

  private func obstacle(to trigger: FlushTrigger) -> Obstacle? {
    if isBusy { return .busy }
    if trigger != .manual && !policy.autoSync { return .autoSyncDisabled }
    switch policy.destination {
    case .none: return trigger == .manual ? nil : .noURL
    case .unusable: return .unusableURL
    case .usable: return connectivity.isConnected ? nil : .noNetwork
    }
  }

  private func refuse(_ obstacle: Obstacle, _ completion: UInt64?, _ effects: inout [UploadEffect]) {
    let error: SyncError
    switch obstacle {
    case .busy:
      log(.busy, &effects)
      error = .inProgress
    case .autoSyncDisabled: return log(.autoSyncDisabled, &effects)
    case .noURL: return
    case .unusableURL:
      log(.error("Invalid url", from: .http), &effects)
      error = .invalidURL
    case .noNetwork:
      log(.noNetwork, &effects)
      error = .networkConnection
    }
    if let completion { effects.append(.synced(completion: completion, .failure(error))) }
  }

  /// Checks the conditions that apply to automatic flushes only.
  private func isDue(_ trigger: FlushTrigger, queued: Int) -> Bool {
    if trigger == .insert && isBackingOff(queued: queued) { return false }
    if trigger == .motionChange || policy.threshold == 1 || queued >= policy.threshold { return true }
    return hasFailed && trigger.isRetry
  }

  /// Reports whether inserts wait for more rows (SDK §9.3). On Android they do not when the queue has no room for them.
  func isBackingOff(queued: Int) -> Bool {
    guard insertsToWait > 0 else { return false }
    let limit = configuration.persistence.maxRecordsToPersist
    return configuration.platform == .ios || limit <= 0 || queued + insertsToWait <= limit
  }

  /// A sync without a url returns the rows to the app and deletes them (SDK §7.4); without a waiting caller they stay.
  private func handOut(
    to completion: UInt64?, _ queue: inout some RecordQueue, _ effects: inout [UploadEffect]
  ) {
    guard let completion else { return }
    do throws(DatabaseError) {
      let newestFirst = configuration.persistence.locationsOrderDirection == .descending
      let rows = try queue.read(limit: queue.count, offset: 0, newestFirst: newestFirst)
      let count = try queue.deleteAll().count
      log(.destroyedAll(count: count), &effects)
      if !rows.isEmpty { effects.append(.discarded(rows.map(\.uuid))) }
      effects.append(.synced(completion: completion, .success(rows)))
    } catch {
      effects.append(.log(.error("\(error)", from: .records)))
      effects.append(.synced(completion: completion, .failure(.store)))
    }
  }
}
