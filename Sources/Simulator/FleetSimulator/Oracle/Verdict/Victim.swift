package import Base
package import Scenario

/// Somebody to whom happened what must not.
package struct Victim: Equatable, Sendable {
  package let device: String
  /// Nil when it concerns the device as a whole.
  package let uuid: UUID128?
  package let rule: Invariant
  package let instant: MonotonicInstant
  /// What happened, as a sentence.
  package let what: String
  /// What became of the record, in order, as sentences.
  package var story: [String]

  /// The invariant and its victim first, then a line for each sentence.
  package var text: String {
    let record = uuid.map { ", record \($0.text)" } ?? ""
    return
      (["violated: \(rule.rawValue): device \(device)\(record)", "  \(instant.clockText) \(what)"]
      + story.map { "    " + $0 }).joined(separator: "\n")
  }
}

extension UUID128 {
  /// In lower case.
  package var text: String {
    var bytes: [UInt8] = []
    append(lowerCaseTextTo: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension MonotonicInstant {
  /// Since the start of the run: `00:12:43.210`.
  package var clockText: String {
    let milliseconds = nanoseconds / 1_000_000
    func digits(_ number: Int64, _ count: Int) -> String {
      let text = String(number)
      return String(repeating: "0", count: max(count - text.count, 0)) + text
    }
    let (hours, minutes, seconds) = (milliseconds / 3_600_000, milliseconds / 60_000 % 60, milliseconds / 1_000 % 60)
    return "\(digits(hours, 2)):\(digits(minutes, 2)):\(digits(seconds, 2)).\(digits(milliseconds % 1_000, 3))"
  }
}
