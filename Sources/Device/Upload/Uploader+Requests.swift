import Base
import Contract
import Database
import JSON
import Queue
import Vocabulary

/// The requests of a flush, and its end (SDK §9.2).
extension Uploader {
  /// Locks the next rows and sends them; without rows the flush has succeeded.
  mutating func sendNextRequest(
    of flush: Flush, retry: Int = 0, _ now: Moment, _ queue: inout some RecordQueue,
    _ effects: inout [UploadEffect]
  ) {
    var flush = flush
    flush.rows = RequestRows(retry: retry)
    guard queue.count > 0 else { return finish(flush, nil, now, &effects) }
    if let error = obstacle(toGoingOnWith: flush, &effects) { return finish(flush, error, now, &effects) }
    if flush.requests > 0 { logWatchdog(&effects) }
    let http = configuration.http
    let limit = !http.batchSync ? 1 : http.maxBatchSize > 0 ? http.maxBatchSize : queue.count
    let newestFirst = configuration.persistence.locationsOrderDirection == .descending
    var records: [QueuedRecord] = []
    do throws(DatabaseError) {
      try queue.lock(limit: limit, newestFirst: newestFirst, into: &records)
    } catch {
      return abandon(flush, error, now, &effects)
    }
    precondition(records.count <= limit, "a queue locks no more rows than it is asked for")
    if records.isEmpty { return finish(flush, nil, now, &effects) }
    log(http.batchSync ? .lockedBatch(count: records.count) : .locked(uuid: records[0].uuid), &effects)
    flush.rows.ids = records.map(\.id)
    flush.rows.uuids = records.map(\.uuid)
    flush.rows.isBatch = http.batchSync
    flush.rows.body = body(of: records, isBatch: flush.rows.isBatch, &effects)
    if flush.completion != nil { flush.uploaded += records }
    let isRefreshing =
      isTokenExpired(at: now.wall) && !flush.hasRefreshed
      && refresh(for: flush, followsRefusal: false, carrying: nil, now, &effects)
    if isRefreshing { return }
    post(flush, now, &effects)
  }

  /// Rebuilds the request after commands have run, or another form was configured: changes apply to its rows too (SDK §7.2).
  mutating func renewRequest(
    of flush: Flush, _ now: Moment, _ queue: inout some RecordQueue, _ effects: inout [UploadEffect]
  ) {
    var flush = flush
    unlock(flush.rows, &queue, &effects)
    if flush.completion != nil { flush.uploaded.removeLast(flush.rows.ids.count) }
    sendNextRequest(of: flush, retry: flush.rows.retry, now, &queue, &effects)
  }

  /// Sends the request of the flush again.
  mutating func resend(
    _ flush: Flush, _ now: Moment, _ queue: inout some RecordQueue, _ effects: inout [UploadEffect]
  ) {
    if let error = obstacle(toGoingOnWith: flush, &effects) {
      unlock(flush.rows, &queue, &effects)
      return finish(flush, error, now, &effects)
    }
    if flush.rows.isOutdated { return renewRequest(of: flush, now, &queue, &effects) }
    post(flush, now, &effects)
  }

  /// Returns what prevents a flush from continuing: configuration and network may have changed since its last request.
  private func obstacle(toGoingOnWith flush: Flush, _ effects: inout [UploadEffect]) -> SyncError? {
    guard policy.destination == .usable else { return .invalidURL }
    guard connectivity.isConnected else {
      log(.noNetwork, &effects)
      return .networkConnection
    }
    let isDeferred = flush.trigger != .manual && policy.defersOnCellular && connectivity == .cellular
    return isDeferred ? .networkConnection : nil
  }

  private mutating func post(_ flush: Flush, _ now: Moment, _ effects: inout [UploadEffect]) {
    precondition(flush.awaited == nil, "a flush has one request under way at most")
    precondition(
      !flush.rows.ids.isEmpty && flush.rows.ids.count == flush.rows.uuids.count, "a request carries its locked rows")
    var flush = flush
    let http = configuration.http
    flush.stage = .uploading
    let timeout = UploadRules.timeout(milliseconds: http.timeoutMilliseconds)
    let awaited = awaitedRequest(timeout: timeout, now)
    flush.awaited = awaited
    let uuid = flush.rows.isBatch ? nil : flush.rows.uuids.first
    log(.posting(http.method, uuid: uuid, count: flush.rows.ids.count, url: http.url), &effects)
    let payload = OutgoingRequest.Payload(
      uuids: flush.rows.uuids, isBatch: flush.rows.isBatch, trigger: flush.trigger, triggeredAt: flush.beganAt)
    let request = OutgoingRequest(
      id: awaited.id, purpose: .records, method: http.method.rawValue, url: http.url,
      headers: uploadForm().headers, body: flush.rows.body, timeout: timeout, payload: payload)
    self.flush = flush
    effects.append(.send(request))
  }

  /// Logs the watchdog of the next request.
  func logWatchdog(_ effects: inout [UploadEffect]) {
    guard policy.isLogging else { return }
    let timeout = UploadRules.timeout(milliseconds: configuration.http.timeoutMilliseconds)
    let watchdog = timeout + UploadRules.watchdogGrace
    log(.watchdogArmed(timeoutSeconds: timeout.seconds, watchdogSeconds: watchdog.seconds), &effects)
  }

  mutating func takeRequestID() -> UInt64 {
    defer { nextRequestID += 1 }
    return nextRequestID
  }

  func unlock(_ rows: RequestRows, _ queue: inout some RecordQueue, _ effects: inout [UploadEffect]) {
    queue.unlock(rows.ids)
    for uuid in rows.uuids { log(.unlocked(uuid: uuid), &effects) }
  }

  /// Ends the flush; `error` is nil for success.
  mutating func finish(_ flush: Flush, _ error: SyncError?, _ now: Moment, _ effects: inout [UploadEffect]) {
    self.flush = nil
    hasFailed = error != nil
    let duration = (now.monotonic - flush.beganAt).wholeMilliseconds
    log(
      .flushFinished(
        isSuccess: error == nil, queuedBefore: flush.queuedBefore, synced: flush.synced, pages: flush.requests,
        milliseconds: duration), &effects)
    guard let completion = flush.completion else { return }
    effects.append(.synced(completion: completion, error.map { .failure($0) } ?? .success(flush.uploaded)))
  }

  /// Ends the flush after an error of the store; remaining rows go with the next flush.
  mutating func abandon(_ flush: Flush, _ error: DatabaseError, _ now: Moment, _ effects: inout [UploadEffect]) {
    effects.append(.log(.error("\(error)", from: .records)))
    finish(flush, .store, now, &effects)
  }

  /// Writes the records straight into the body, which has the needed capacity from the start.
  private mutating func body(
    of records: [QueuedRecord], isBatch: Bool, _ effects: inout [UploadEffect]
  ) -> [UInt8] {
    let envelope = uploadForm().envelope
    var body: [UInt8] = []
    body.reserveCapacity(records.reduce(envelope.overheadBytes) { $0 + $1.bytes.count + 1 })
    var warning: EnvelopeWarning?
    if isBatch {
      warning = envelope.beginBatch(to: &body)
      for record in records { envelope.appendToBatch(record.bytes.span, to: &body) }
      envelope.endBatch(to: &body)
    } else {
      let record = records[0]
      warning = envelope.appendSingle(record.bytes.span, to: &body)
    }
    if warning == .paramsDropped { log(.paramsDropped, &effects) }
    return body
  }
}
