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
  /// What an app that runs has said to `ready`, or been told since.
  var terms: UploadTerms?
  /// What of its records is known to be in the store.
  var stored = MarkedSum()

  /// Of records; nil when none is on its way.
  var upload: SentRequest? { open.first { $0.purpose == .records } }
}
