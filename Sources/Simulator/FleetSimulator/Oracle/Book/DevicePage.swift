import Base
import Upload

/// What the book knows of one device.
struct DevicePage {
  var waiting = WaitingRecords()
  /// Requests whose end is not known.
  var open: [SentRequest] = []
  var answer: ReadAnswer?
  /// Nil while the app does not run.
  var aliveSince: MonotonicInstant?
  /// Nil while there is no network.
  var connectedSince: MonotonicInstant?
  var isHealed = false
  /// Faults that answer in the server's name, now and since the last request left.
  var impostors = 0
  var hadImpostor = false
  var lastTimestamp: WallInstant?
  /// What an app that runs has said to `ready`, or been told since.
  var terms: UploadTerms?
  /// What of its records is known to be in the store.
  var stored = MarkedSum()

  /// Of records; nil when none is on its way.
  var upload: SentRequest? { open.first { $0.purpose == .records } }
}
