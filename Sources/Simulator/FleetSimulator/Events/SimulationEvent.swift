package import Base
package import Contract
package import CurlTransport
package import Engine
package import Host
package import Queue
package import Upload
package import Vocabulary
package import World

/// What happens to a device, as its watchers hear of it. Two dozen of them hear of each: what is large goes by reference.
package enum SimulationEvent {
  /// The app runs, on a phone that was switched on or not.
  case launched(Launch)
  case killed(isReboot: Bool)
  /// Its user opens the app, which runs already: the system has started it, or its service goes on.
  case opened
  /// Its user closes the app, which ends with it or goes on without it.
  case closed
  /// What of the engine survives the process, just before its end and just after its beginning.
  indirect case kept(EngineState)
  /// What the app has said to `ready`, or made of its configuration since.
  indirect case configured(Configuration)
  case network(RadioNetwork)
  /// A record entered or left the queue.
  case queue(QueueNote)
  /// A request left the app.
  case sent(OutgoingRequest)
  /// A request goes over a modelled link, on a connection of its own or on one that was there.
  case connected(request: UInt64, isNew: Bool)
  /// The server has answered, and has stored what it was sent or not; what it said is still on its way.
  case served(request: UInt64, isCommitted: Bool, answerBytes: Int)
  /// A real server's answer is there, or there will be none; the times are those of the machine's clock. With
  /// the lines of its head.
  indirect case carried(request: UInt64, TransferTimings, head: [UInt8])
  /// The app knows how a request ended.
  case ended(request: UInt64, RequestOutcome)
  /// The motion sensors report to the app what its owner does.
  indirect case sensed(Activity)
  /// The SDK told its app something.
  case told(HostEvent)
  /// A fault begins for the device, or ends.
  indirect case faultBegan(FaultOccurrence)
  indirect case faultEnded(FaultOccurrence)
  /// The SDK of a device whose log is kept wrote a line of it.
  indirect case logged(LogEntry)
  /// The system has woken the app for a background fetch.
  case fetched
  /// What its owner's app asks of the SDK.
  indirect case asked(Command)
  /// The app asks the SDK to send what it has.
  case askedToSync
  /// What its body does from now on, or since an instant that was not watched.
  indirect case moves(Episode)
  /// It has truly come into a geofence that the phone watches, or gone out of it and so far beyond that a phone can be sure.
  case crossed(fence: String, isEntry: Bool)
  /// Where it truly is, and how far it has gone: before each position that the SDK tells its app.
  case stood(at: Coordinate, metres: Double)
  /// The device had its turn so long after it was due, on the machine's clock.
  case turn(late: Nanoseconds)
  /// The end of all faults.
  case healed
}
