import Base
import Contract
import Database
import Queue
import Vocabulary

/// The handling of answers (SDK §9.1).
extension Uploader {
  mutating func take(
    _ outcome: RequestOutcome, of request: UInt64, _ now: Moment, _ queue: inout some RecordQueue,
    _ effects: inout [UploadEffect]
  ) {
    if let flush, flush.awaited?.id == request {
      var flush = flush
      flush.awaited = nil
      if case .refreshing(let refresh) = flush.stage {
        takeRefreshed(outcome, refresh, of: flush, now, &queue, &effects)
      } else {
        takeUploaded(outcome, of: flush, now, &queue, &effects)
      }
    } else if let index = logUploads.firstIndex(where: { $0.request == request }) {
      let upload = logUploads.remove(at: index)
      let status = outcome.status
      effects.append(
        .logUploaded(completion: upload.completion, isSuccess: 200..<300 ~= status, status: status))
      if let commands = ReceivedCommands(in: outcome) { effects.append(.commands(commands)) }
    } else {
      log(.staleResponseIgnored, &effects)
    }
  }

  private mutating func takeUploaded(
    _ outcome: RequestOutcome, of flush: Flush, _ now: Moment, _ queue: inout some RecordQueue,
    _ effects: inout [UploadEffect]
  ) {
    let status = outcome.status
    let uuid = flush.rows.isBatch ? nil : flush.rows.uuids.first
    log(.response(status: status, reason: outcome.reason), &effects)
    // Any answer, whatever its status, ends the back-off (SDK §9.3).
    if status != 0 { insertsToWait = 0 }
    log(.posted(uuid: uuid, status: status, retry: flush.rows.retry), &effects)
    let commands = ReceivedCommands(in: outcome)
    switch status {
    case 200..<300: succeed(flush, outcome, commands, now, &queue, &effects)
    case 401 where mayRefresh(flush, &effects):
      effects.append(.http(HTTPEvent(outcome)))
      let isRefreshing = refresh(for: flush, followsRefusal: true, carrying: commands, now, &effects)
      precondition(isRefreshing, "there is a url to refresh at")
    default:
      fail(flush, outcome, commands, now, &queue, &effects)
    }
  }

  /// Deletes the rows, reports, runs the commands, and only then sends the next request.
  private mutating func succeed(
    _ flush: Flush, _ outcome: RequestOutcome, _ commands: ReceivedCommands?, _ now: Moment,
    _ queue: inout some RecordQueue, _ effects: inout [UploadEffect]
  ) {
    var flush = flush
    var failure: DatabaseError?
    do throws(DatabaseError) {
      let deleted = try queue.delete(flush.rows.ids)
      precondition(deleted <= flush.rows.ids.count, "an answer deletes no rows but those of its request")
      for uuid in flush.rows.uuids { log(.destroyed(uuid: uuid), &effects) }
      flush.requests += 1
      flush.synced += flush.rows.ids.count
    } catch {
      failure = error
      unlock(flush.rows, &queue, &effects)
    }
    log(.syncPage(isOK: failure == nil, size: flush.rows.ids.count), &effects)
    flush.rows = RequestRows()
    effects.append(.http(HTTPEvent(outcome)))
    if let commands { effects.append(.commands(commands)) }
    if let failure {
      abandon(flush, failure, now, &effects)
    } else if commands != nil {
      pause(flush, .pausedBeforeNextRequest, &effects)
    } else {
      sendNextRequest(of: flush, now, &queue, &effects)
    }
  }

  /// Handles everything but success, whatever the status: keeps the rows at the head of the queue and ends the flush.
  private mutating func fail(
    _ flush: Flush, _ outcome: RequestOutcome, _ commands: ReceivedCommands?, _ now: Moment,
    _ queue: inout some RecordQueue, _ effects: inout [UploadEffect]
  ) {
    let status = outcome.status
    if 300..<400 ~= status { log(.redirectNotPermitted(status: status), &effects) }
    unlock(flush.rows, &queue, &effects)
    if status == 0 { backOff(queued: queue.count, &effects) }
    effects.append(.http(HTTPEvent(outcome)))
    if let commands { effects.append(.commands(commands)) }
    finish(flush, SyncError(status: status), now, &effects)
  }

  mutating func pause(_ flush: Flush, _ stage: Flush.Stage, _ effects: inout [UploadEffect]) {
    var flush = flush
    flush.stage = stage
    flush.awaited = nil
    self.flush = flush
    effects.append(.proceed)
  }

  /// SDK §9.3.
  private mutating func backOff(queued: Int, _ effects: inout [UploadEffect]) {
    insertsToWait = UploadRules.backOffRecords
    guard isBackingOff(queued: queued) else {
      insertsToWait = 0
      return
    }
    log(
      .notResponding(host: String(URLParts(configuration.http.url).host), afterRecords: UploadRules.backOffRecords),
      &effects)
  }
}

extension ReceivedCommands {
  /// Nil when the answer has no commands and no attempt at any. Any answer may have some (SDK §10.3).
  init?(in outcome: RequestOutcome) {
    guard case .answered(_, _, let body) = outcome, !body.isEmpty else { return nil }
    self.init(inBody: body.span)
    if commands.isEmpty && problems.isEmpty { return nil }
  }
}

/// The result of one upload request (SDK §6, `http`).
package struct HTTPEvent: Equatable, Sendable {
  /// Whether the records were deleted.
  package let isSuccess: Bool
  /// 0 without an answer.
  package let status: Int
  private let body: [UInt8]

  init(_ outcome: RequestOutcome) {
    status = outcome.status
    isSuccess = 200..<300 ~= status
    body = outcome.text
  }

  /// The body of the answer, or the failure.
  package var responseText: String { String(decoding: body, as: UTF8.self) }
}
