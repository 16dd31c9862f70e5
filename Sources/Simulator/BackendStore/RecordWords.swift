import Base

/// The words of a record, as marks: what it is about, what the phone was doing, and what happened at which geofence.
struct RecordWords: Equatable, Sendable {
  private(set) var event: UInt16 = 0
  private(set) var activity: UInt16 = 0
  private(set) var action: UInt16 = 0
  private(set) var geofence: UInt16 = 0

  static let names = ["event", "activity.type", "geofence.action", "geofence.identifier"]
  static let unknown = mark("unknown")

  /// The SDK's own: a store that has another one of these than was sent has no word of its own.
  private static let vocabulary: [UInt16: String] = {
    let words = [
      "motionchange", "geofence", "heartbeat", "providerchange", "still", "walking", "on_foot", "running", "on_bicycle",
      "in_vehicle", "unknown", "enter", "exit", "dwell",
    ]
    return Dictionary(words.map { (mark($0), $0) }) { first, _ in first }
  }()

  init() {}

  /// Stores may write the SDK's words in capitals; names are names.
  init(_ record: StoredRecord) {
    func mark(_ field: String) -> UInt16 { record.value(field)?.string.map { RecordWords.mark($0.lowercased()) } ?? 0 }
    (event, activity, action) = (mark("event"), mark("activity.type"), mark("geofence.action"))
    geofence = record.value("geofence.identifier")?.string.map(RecordWords.mark) ?? 0
  }

  /// In the order of their names; 0: it says none.
  var marks: [UInt16] { [event, activity, action, geofence] }

  /// It is another one, and none of which it is known what it says.
  func isOther(_ index: Int, than stored: RecordWords) -> Bool {
    marks[index] != stored.marks[index] && difference(at: index, from: stored) == nil
  }

  /// What a stored record says otherwise, in words that are known.
  func differences(from stored: RecordWords) -> [String] {
    marks.indices.compactMap { difference(at: $0, from: stored) }
  }

  private func difference(at index: Int, from stored: RecordWords) -> String? {
    let (mine, theirs) = (marks[index], stored.marks[index])
    guard mine != 0, theirs != 0, mine != theirs else { return nil }
    let name = RecordWords.names[index]
    if index == 3 { return "\(name) is not what was sent" }
    guard let sent = RecordWords.vocabulary[mine], let found = RecordWords.vocabulary[theirs] else { return nil }
    return "\(name) \(found) instead of \(sent)"
  }

  private static func mark(_ text: String) -> UInt16 { UInt16(1 + FNV1a.hash(text) % 65_535) }
}
