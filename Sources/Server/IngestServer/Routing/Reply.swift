import Network
package import Store

/// What a handler wants done before the client gets its answer.
enum Reply {
  /// Nothing: this is the answer.
  case answer(Response)
  /// The store must have it on disk first; `afterwards` says how its result becomes an answer.
  case store(StoreJob, afterwards: Continuation)
  /// The answer is in the store: a reader finds it, beside the writer.
  case ask(@Sendable (StoreReader) throws(StoreError) -> Response)
  /// The answer is in the journal.
  case askJournal(@Sendable (Journal) throws(StoreError) -> Response)
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

  /// Something was changed; the answer is how many, under this key, and what has to be known of it.
  static func count(_ key: StaticString, note: String? = nil) -> Continuation {
    .then { .answer(.counted(key, $0, note: note)) }
  }
}

/// A piece of a long content, and where the next one comes from.
package struct ContentPage: Sendable {
  /// Reads a page when the client has taken nearly all of the one before. It holds the place where it goes on.
  package enum Source: Sendable {
    /// On a thread of the store's readers.
    case store(@Sendable (StoreReader) throws(StoreError) -> ContentPage)
    /// On the journal's thread.
    case journal(@Sendable (Journal) throws(StoreError) -> ContentPage)
  }

  /// May be empty.
  var bytes: [UInt8]
  /// Nil behind the last page.
  var next: Source?
}
