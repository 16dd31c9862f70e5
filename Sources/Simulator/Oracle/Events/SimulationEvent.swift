package import Base
package import Contract
package import CurlTransport
package import Engine
package import Host
package import Queue
package import Upload
package import Vocabulary
package import World

/// An event of a device, as its watchers receive it. About two dozen watchers receive each event, so large payloads are references.
package enum SimulationEvent {
  /// The app was started, possibly on a phone that was just switched on.
  case launched(Launch)
  case killed(isReboot: Bool)
  /// The user opens the app, which runs already: the system started it, or its service continued.
  case opened
  /// The user closes the app, which ends or continues without a user interface.
  case closed
  /// The engine state that survives the process, just before its end and just after its start.
  indirect case kept(EngineState)
  /// The configuration that the app passed to `ready`, or changed since.
  indirect case configured(Configuration)
  case network(RadioNetwork)
  /// A record entered or left the queue.
  case queue(QueueNote)
  /// A request left the app.
  case sent(OutgoingRequest)
  /// A request is sent over a modelled link, on a new connection or on an open one.
  case connected(request: UInt64, isNew: Bool)
  /// The server has answered and has stored the records or not; its answer is still under way.
  case served(request: UInt64, isCommitted: Bool, answerBytes: Int)
  /// A real server's answer has arrived, or there will be none; times are those of the machine's clock. `head`
  /// holds the header lines.
  indirect case carried(request: UInt64, TransferTimings, head: [UInt8])
  /// The app knows how a request ended.
  case ended(request: UInt64, RequestOutcome)
  /// The motion sensors report the user's activity to the app.
  indirect case sensed(Activity)
  /// The battery has another level or charger, or the app starts and asks for both.
  case charged(Battery)
  /// The SDK notified its app.
  case told(HostEvent)
  /// A fault begins or ends for the device.
  indirect case faultBegan(FaultOccurrence)
  indirect case faultEnded(FaultOccurrence)
  /// The SDK of a device with a kept log wrote an entry.
  indirect case logged(LogEntry)
  /// The system has woken the app for a background fetch.
  case fetched
  /// The app calls the SDK.
  indirect case asked(Command)
  /// The app calls `sync`.
  case askedToSync
  /// The body's episode from now on, or since an instant that was not observed.
  indirect case moves(Episode)
  /// The body has truly entered a geofence that the phone monitors, or left it so far that a phone can be certain.
  case crossed(fence: String, isEntry: Bool)
  /// The receiver's position, an outlier or a poor one, is this far from the body, and says an accuracy that is this bad; 0:
  /// the next one is near, or good, again.
  case strayed(metres: Double, accuracyMetres: Double = 0)
  /// The true place and distance, before each position that the SDK reports to its app.
  case stood(at: Coordinate, metres: Double)
  /// The device had its turn later than it was due, by `late` on the machine's clock.
  case turn(late: Nanoseconds)
  /// All faults have ended.
  case healed
}

/// The requests that an app makes itself, beside those of the SDK.
package enum AppRequest {
  /// The first id, above all ids of the SDK. Readers of JSON keep integers below 2^53 exactly (RFC 8259 §6).
  package static let first: UInt64 = 1 << 52
}
