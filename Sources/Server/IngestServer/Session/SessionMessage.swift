package import Store

/// What other threads send to a session.
package enum SessionMessage: Sendable {
  /// The store has done the job that the session waits for, or has not.
  case completed(StoreResult)
  /// A reader has the answer that the session asked for.
  case answered(Response)
  /// The next page of the answer that is being sent.
  case turned(ContentPage)
  /// The next page cannot be read.
  case torn(StoreError)
  /// The condition that this waiter waits for holds.
  case awaited(UInt64, AwaitProgress)
  /// A search for awaited records is over; the hub knows what it found.
  case searched
  /// The hub has something for this subscriber.
  case eventsWaiting(UInt64)
}
