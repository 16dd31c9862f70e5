import Base
package import Engine
package import Host
package import Queue
package import Upload
import Vocabulary
package import World

/// What happens to a device, as its watchers hear of it.
package enum Happening {
  /// The app runs, on a phone that was switched on or not.
  case launched(Launch)
  case killed(isReboot: Bool)
  case network(RadioNetwork)
  /// A record entered or left the queue.
  case queue(QueueNote)
  /// A request left the app.
  case sent(OutgoingRequest)
  /// The server has answered; what it said is still on its way.
  case served(request: UInt64, answerBytes: Int)
  /// The app knows how a request ended.
  case ended(request: UInt64, RequestOutcome)
  /// The SDK told its app something.
  case told(HostEvent)
  /// A fault befalls the device, or is over.
  case faultBegan(FaultOccurrence)
  case faultEnded(FaultOccurrence)
  /// It has truly come into a geofence that the phone watches, or gone out of it.
  case crossed(fence: String, isEntry: Bool)
  /// The end of all faults.
  case healed
}
