import Network
package import Store

/// What a handler wants done before the client gets its answer.
enum Reply {
  /// Nothing: this is the answer.
  case answer(Response)
  /// The store must have it on disk first; `afterwards` says how its result becomes an answer. The functions below make it
  /// with the type of the job's result.
  case store(StoreJob, afterwards: Continuation)
  /// The answer is in the store: a reader finds it, beside the writer.
  case ask(@Sendable (any StoreReader) throws(StoreError) -> Response)
  /// The answer is in the journal.
  case askJournal(@Sendable (Journal) throws(StoreError) -> Response)
  /// This has to be done first, on a thread that may wait; then the handler is called again.
  case again(after: @Sendable () -> Void)
  /// The answer takes more than one call: this begins it, as a responder does.
  case respond(@Sendable (IngestSession, Exchange, inout SessionOutput) -> Void)
}

extension Reply {
  /// Whose records are to be stored; nil where that is not the question.
  var device: String? {
    guard case .store(.ingest(let batch), _) = self else { return nil }
    return batch.device.name
  }
}

/// How a result of the store becomes a reply. Those of uploads are values, so that no closure is made for them and a session
/// that ends early knows whose commands the result may carry.
enum Continuation {
  case upload(DeviceIdentity)
  /// Commands for the device that this answer goes to.
  case commands(Response)
  case then(@Sendable (StoreResult) -> Reply)
}

/// Jobs of the store, each with what its result says. `next` sees a job that was done; the other answers are made here.
extension Reply {
  static func ingest(_ batch: IngestBatch) -> Reply { .store(.ingest(batch), afterwards: .upload(batch.device)) }

  /// The id of the order, and whether there was none with its key.
  static func queue(
    _ command: QueuedCommand, _ next: @escaping @Sendable (_ id: Int64, _ isNew: Bool) -> Reply
  ) -> Reply {
    .store(.queue(command)) { if case .queued(let id, let isNew) = $0 { next(id, isNew) } else { nil } }
  }

  /// The number of the family.
  static func beginFamily(_ family: TokenFamily, _ next: @escaping @Sendable (Int64) -> Reply) -> Reply {
    .store(.beginFamily(family)) { if case .family(let family) = $0 { next(family) } else { nil } }
  }

  /// The number of the family and, when the token was used a moment ago, what was answered then.
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

  /// Any job that counts what it changes.
  static func change(_ job: StoreJob, _ next: @escaping @Sendable (Int) -> Reply) -> Reply {
    .store(job) { if case .changed(let count) = $0 { next(count) } else { nil } }
  }

  /// The answer is how many things the job has changed, under this key, and what has to be known of it.
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
  /// What `value` makes of the result of a job that was done. A job that was not done is an answer. `value` is nil for the
  /// results of other jobs only, which is an error of this program.
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

/// A piece of a long content, and where the next one comes from.
package struct ContentPage: Sendable {
  /// Reads a page when the client has taken nearly all of the one before. It holds the place where it goes on.
  package enum Source: Sendable {
    /// On a thread of the store's readers.
    case store(@Sendable (any StoreReader) throws(StoreError) -> ContentPage)
    /// On the journal's thread.
    case journal(@Sendable (Journal) throws(StoreError) -> ContentPage)
  }

  /// May be empty.
  var bytes: [UInt8]
  /// Nil behind the last page.
  var next: Source?
}
