package import Base
package import Contract
package import Queue
package import Vocabulary

/// What an uploader wants done, in this order.
package enum UploadEffect: Equatable, Sendable {
  indirect case send(OutgoingRequest)
  case http(HTTPEvent)
  indirect case authorization(AuthorizationEvent)
  indirect case commands(ReceivedCommands)
  /// Give `UploadInput.proceed` back when what stands before is done: the next request is made after the commands.
  case proceed
  /// To be stored in the configuration. The uploader uses them already.
  indirect case tokens(RefreshedTokens)
  /// The rows that were handed out or uploaded.
  indirect case synced(completion: UInt64, Result<[QueuedRecord], SyncError>)
  /// The records that a sync without a url has taken out of the queue.
  case discarded([UUID128])
  /// `status` is 0 when no answer came.
  case logUploaded(completion: UInt64, isSuccess: Bool, status: Int)
  case log(LogEntry)
}
