package import Base

/// A record to which something happened that must not.
package struct Victim: Equatable, Sendable {
  package let device: String
  /// Nil when it concerns the device as a whole.
  package let uuid: UUID128?
  package let rule: Rule
  /// What became of the record, in order, as sentences.
  package let story: [String]

  /// The rules that are watched over.
  package enum Rule: String, CaseIterable, Sendable {
    /// What the device deleted after an answer is in the store.
    case acknowledgedIsStored = "an acknowledged record is in the store"
    /// A device deletes a record as delivered only on a whole answer of success.
    case noDeletionBeforeAnswer = "no record is deleted before its acknowledgement"
    /// Each record is in exactly one place.
    case conservation = "each record is in exactly one place"
    /// The store holds each record once, and none that was never made.
    case storedOnce = "the store holds what was made, once"
    /// After the settle phase nothing waits any more.
    case drained = "everything healthy, every queue drains"
  }

  /// One line for each sentence.
  package var text: String {
    var name = ""
    if let uuid {
      var bytes: [UInt8] = []
      uuid.append(lowerCaseTextTo: &bytes)
      name = ", record " + String(decoding: bytes, as: UTF8.self)
    }
    return (["violated: \(rule.rawValue): device \(device)\(name)"] + story.map { "  " + $0 }).joined(separator: "\n")
  }
}
