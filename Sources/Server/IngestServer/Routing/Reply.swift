import Network
package import Store

/// The work to do before the client gets its answer.
enum Reply {
  /// The answer, with nothing to do before.
  case answer(Response)
  /// The store must commit the job first; `afterwards` turns its result into a reply. The functions below construct this case
  /// with the type of the job's result.
  case store(StoreJob, afterwards: Continuation)
  /// The answer is in the store: a reader finds it, in parallel with the writer.
  case ask(@Sendable (any StoreReader) throws(StoreError) -> Response)
  /// The answer is in the journal.
  case askJournal(@Sendable (Journal) throws(StoreError) -> Response)
  /// This must be done first, on a thread that may block; then the handler is called again.
  case again(after: @Sendable () -> Void)
  /// The answer takes more than one call: this closure starts a responder.
  case respond(@Sendable (IngestSession, Exchange, inout SessionOutput) -> Void)
}

extension Reply {
  /// The device whose records are to be stored; nil for other replies.
  var device: String? {
    guard case .store(.ingest(let batch), _) = self else { return nil }
    return batch.device.name
  }
}

/// Turns a result of the store into a reply. That of an upload is a plain case, so that it needs no closure and a session that
/// ends early knows whose commands the result may carry.
enum Continuation {
  case upload(DeviceIdentity)
  /// Adds commands for the device to this answer.
  case commands(Response)
  case then(@Sendable (StoreResult) -> Reply)
}

/// Jobs of the store with the types of their results. `next` gets the result of a completed job; the answers to all others are
/// made here.
extension Reply {
  static func ingest(_ batch: IngestBatch) -> Reply { .store(.ingest(batch), afterwards: .upload(batch.device)) }

  /// `next` gets the id of the order, and whether it is new under its key.
  static func queue(
    _ command: QueuedCommand, _ next: @escaping @Sendable (_ id: Int64, _ isNew: Bool) -> Reply
  ) -> Reply {
    .store(.queue(command)) { if case .queued(let id, let isNew) = $0 { next(id, isNew) } else { nil } }
  }

  /// `next` gets the number of the family.
  static func beginFamily(_ family: TokenFamily, _ next: @escaping @Sendable (Int64) -> Reply) -> Reply {
    .store(.beginFamily(family)) { if case .family(let family) = $0 { next(family) } else { nil } }
  }

  /// `next` gets the number of the family and, when the token was used moments ago, the answer given then.
  static func rotate(
    _ rotation: TokenRotation, refused: @escaping @Sendable (TokenRefusal) -> Response,
    _ next: @escaping @Sendable (_ family: Int64, _ earlier: [UInt8]?) -> Reply
  ) -> Reply {
    .store(.rotate(rotation), refused: refused) { result in
      switch result {
      case .rotated(let family): next(family, nil)
      case .rotatedBefore(let family, let earlier): next(family, earlier)
      default: nil
      }
    }
  }

  /// Returns the reply of a job that counts its changes.
  static func change(_ job: StoreJob, _ next: @escaping @Sendable (Int) -> Reply) -> Reply {
    .store(job) { if case .changed(let count) = $0 { next(count) } else { nil } }
  }

  /// Answers with the number of changes under this key, and an optional note.
  static func change(_ job: StoreJob, answering key: StaticString, note: String? = nil) -> Reply {
    .change(job) { .answer(.count(key, $0, note: note)) }
  }

  private static func store(
    _ job: StoreJob, refused: @escaping @Sendable (TokenRefusal) -> Response = { .refused($0) },
    _ next: @escaping @Sendable (StoreResult) -> Reply?
  ) -> Reply {
    .store(
      job,
      afterwards: .then { result in
        do throws(ResponseError) { return try result.unpack(next, refused: refused) } catch {
          return .answer(error.response)
        }
      })
  }
}

extension StoreResult {
  /// Returns what `value` extracts from the result of a completed job, or an answer when the job failed. `value` returns nil
  /// only for results of other jobs, which is a programming error.
  func unpack<Value>(
    _ value: (StoreResult) -> Value?, refused: (TokenRefusal) -> Response = { .refused($0) }
  ) throws(ResponseError) -> Value {
    switch self {
    case .unavailable(let outage): throw ResponseError(.unavailable(outage))
    case .refused(let refusal): throw ResponseError(refused(refusal))
    case .tooManyCommands: throw ResponseError(.tooManyCommands)
    case .ingested, .queued, .commands, .changed, .family, .rotated, .rotatedBefore: break
    }
    guard let value = value(self) else { preconditionFailure("a job has the result of another one: \(self)") }
    return value
  }
}

extension Response {
  fileprivate static let tooManyCommands = Response.error(
    429, "too_many_orders", "the limit of waiting commands is reached")
}

/// A piece of a long content, and the source of the next one.
package struct ContentPage: Sendable {
  /// Reads the next page when the client has taken nearly all of the previous one. It holds the position at which it continues.
  package enum Source: Sendable {
    /// Runs on a thread of the store's readers.
    case store(@Sendable (any StoreReader) throws(StoreError) -> ContentPage)
    /// Runs on the journal's thread.
    case journal(@Sendable (Journal) throws(StoreError) -> ContentPage)
  }

  /// May be empty.
  var bytes: [UInt8]
  /// The source of the next piece; nil after the last one.
  var next: Source?
}
