package import Base

/// The numbers of the upload cycle.
package enum UploadRules {
  /// How long after the time limit of one request a flush that nothing has ended is given up (SDK §9.2).
  package static let watchdogGrace = Nanoseconds.seconds(5)
  /// How many records are inserted after a failure of the network before an insert begins a flush again (SDK §9.3).
  package static let backOffRecords = 10
  /// In place of a time limit that is none.
  package static let defaultTimeout = Nanoseconds.seconds(60)
  package static let greatestTimeout = Nanoseconds.seconds(86_400)

  /// `http.timeout`, which may be any number.
  package static func timeout(milliseconds: Double) -> Nanoseconds {
    guard milliseconds >= 1 else { return defaultTimeout }
    return milliseconds < greatestTimeout.seconds * 1_000 ? .milliseconds(Int64(milliseconds)) : greatestTimeout
  }
}
