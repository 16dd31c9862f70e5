import Base
import Contract
import HTTP1
package import Store

/// What other threads send to a session.
package enum SessionMessage: Sendable {
  /// The store has done the job that the session waits for, or has not.
  case completed(StoreResult)
  /// A reader has the answer that the session asked for.
  case answered(Response)
  /// What the handler has to be called again for is done.
  case readyAgain
  /// The next page of the answer that is being sent.
  case turned(ContentPage)
  /// The next page cannot be read.
  case torn(StoreError)
  /// The condition that this waiter waits for holds.
  case awaited(UInt64, AwaitProgress)
  /// A search for awaited records is over; the hub knows what it found.
  case searched
  /// The look that a wait has asked for is over.
  case looked(Result<Look, StoreError>)
  /// The journal has forgotten what a reset asks for, or could not.
  case journalReset(StoreError?)
  /// The hub has something for this subscriber or watch.
  case eventsWaiting(UInt64)
}

/// Names one session for as long as the server runs. The numbers mean what the maker of the session says.
package struct SessionAddress: Hashable, Sendable {
  package let loop: Int
  package let connection: UInt64

  package init(loop: Int, connection: UInt64) {
    self.loop = loop
    self.connection = connection
  }

  /// For jobs whose results are not waited for.
  package static let discarded = SessionAddress(loop: -1, connection: 0)
}

/// Memory that the sessions of one loop share, because only one of them works at a time. What it holds is valid until
/// another session works.
package final class SessionScratch {
  var head = RequestHead()
  var envelope = Envelope()
  private var dateText: [UInt8] = []
  private var dateSecond = Int64.min

  package init() {}

  /// The value of a Date field, put into text once a second.
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
