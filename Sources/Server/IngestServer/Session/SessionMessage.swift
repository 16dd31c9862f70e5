import Base
import Contract
import HTTP1
package import Store

/// A message from another thread to a session.
package enum SessionMessage: Sendable {
  /// The store has completed the job that the session waits for, or has failed to.
  case completed(StoreResult)
  /// A reader has produced the answer that the session asked for.
  case answered(Response)
  /// The work that the handler required is done; the handler must be called again.
  case readyAgain
  /// The next page of the answer being sent.
  case page(ContentPage)
  /// The next page cannot be read.
  case pageFailed(StoreError)
  /// The condition of this waiter holds.
  case awaited(UInt64, AwaitProgress)
  /// A search for awaited records has ended; the hub has its result.
  case searchEnded
  /// The result of a wait's scan of stored data.
  case scanned(Result<ExpectationScan, StoreError>)
  /// The journal has deleted the records of a reset, or failed to.
  case journalReset(StoreError?)
  /// The hub has something for this subscriber or watch.
  case eventsWaiting(UInt64)
}

/// Identifies a session for as long as the server runs. The maker of the session defines the numbers.
package struct SessionAddress: Hashable, Sendable {
  package let loop: Int
  package let connection: UInt64

  package init(loop: Int, connection: UInt64) {
    self.loop = loop
    self.connection = connection
  }

  /// The address of jobs whose results are discarded.
  package static let discarded = SessionAddress(loop: -1, connection: 0)
}

/// Memory that the sessions of one loop share, because only one of them runs at a time. The contents are valid until another
/// session runs.
package final class SessionScratch {
  var head = RequestHead()
  var envelope = Envelope()
  private var dateText: [UInt8] = []
  private var dateSecond = Int64.min

  package init() {}

  /// Returns the text of a Date field, formatted once per second.
  func date(_ now: WallInstant) -> [UInt8] {
    let second = now.millisecondsSince1970 / 1_000
    if second != dateSecond {
      dateSecond = second
      dateText.removeAll(keepingCapacity: true)
      now.append(imfFixdateTo: &dateText)
    }
    return dateText
  }
}
