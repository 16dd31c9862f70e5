import Store

/// What a handler wants done before the client gets its answer.
enum Reply {
  /// Nothing: this is the answer.
  case answer(Response)
  /// The store must have it on disk first; `afterwards` says how its result becomes an answer.
  case store(StoreJob, afterwards: Continuation)
  /// The answer lies in the store: a reader finds it, beside the writer.
  case ask(@Sendable (StoreReader) throws(StoreError) -> Response)
  /// The answer lies in the journal.
  case askJournal(@Sendable (Journal) throws(StoreError) -> Response)
  /// The answer comes when the condition holds, or when so many milliseconds are over.
  case wait(AwaitCondition, milliseconds: Int64)
  /// The answer is the live stream, from behind an event that was seen before.
  case stream(EventFilter, after: EventID?)
  /// The answer is the live view of a run, or of all.
  case view(run: String?)
}

extension Reply {
  /// Whose records are to be stored; nil where that is not the question.
  var device: String? {
    guard case .store(.ingest(let batch), _) = self else { return nil }
    return batch.device.name
  }
}

/// How a result of the store becomes an answer. A value, not a closure, so that a waiting exchange can be looked at.
enum Continuation {
  case upload(DeviceIdentity)
  case registration(RefreshToken)
  case refresh(RefreshRotation)
  /// Commands for the device that this answer goes to.
  case commands(Response)
  /// One command of a request is queued.
  case ordering(CommandOrdering)
  /// Something was changed; the answer is how many, under this key, and what has to be known of it.
  case count(StaticString, note: String? = nil)
  /// Some of the records that were put aside are gone, after `deleted` others.
  case clearing(QuarantineSelection, deleted: Int)
  case readiness
  case deletion(DeviceIdentity)
  /// Of this run, or of all.
  case reset(run: String?)
}
