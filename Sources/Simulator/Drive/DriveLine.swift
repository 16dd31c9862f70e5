package import AnswerCheck
package import Upload

/// Something for the person at the phone to read.
package enum DriveLine: Sendable {
  /// What the person did, or what the phone did by itself.
  case note(String)
  /// A line of the device's log, as the SDK writes it.
  case log(String)
  case sent(OutgoingRequest)
  case ended(ObservedAnswer, [Finding])
}
