import Base

/// The words of a record, as marks: the event, the activity, and the action and name of a geofence.
struct RecordWords: Equatable, Sendable {
  enum Word: Int, CaseIterable {
    case event, activity, action, geofence

    var name: String {
      switch self {
      case .event: "event"
      case .activity: "activity.type"
      case .action: "geofence.action"
      case .geofence: "geofence.identifier"
      }
    }
  }

  private(set) var event: UInt16 = 0
  private(set) var activity: UInt16 = 0
  private var action: UInt16 = 0
  private var geofence: UInt16 = 0

  private static let unknown = mark("unknown")
  /// The mark of a record that was sent without an event.
  private static let none = mark("\u{0}")
  private static let events = Set(["motionchange", "geofence", "heartbeat", "providerchange"].map(mark))

  /// The SDK's words: a store with a different one of these has not used its own vocabulary.
  private static let vocabulary: [UInt16: String] = {
    let words = [
      "motionchange", "geofence", "heartbeat", "providerchange", "still", "walking", "on_foot", "running", "on_bicycle",
      "in_vehicle", "unknown", "enter", "exit", "dwell",
    ]
    return Dictionary(words.map { (mark($0), $0) }) { first, _ in first }
  }()

  init() {}

  init(_ record: StoredRecord) {
    for word in Word.allCases { self[word] = RecordWords.mark(of: record.value(word.name)?.string, word) }
  }

  /// Has this word only.
  init(_ word: Word, _ text: String) { self[word] = RecordWords.mark(of: text, word) }

  /// Has the event of a sent record only; nil: it was sent without one.
  init(sentEvent: String?) { event = sentEvent.map { RecordWords.mark(of: $0, .event) } ?? RecordWords.none }

  /// Stores may write the SDK's words in capitals, but names are case-sensitive. An empty text is no word: a template writes it for
  /// a record without an event (SDK §7.5), and some databases have null for it.
  private static func mark(of text: String?, _ word: Word) -> UInt16 {
    guard let text, !text.isEmpty else { return 0 }
    return mark(word == .geofence ? text : text.lowercased())
  }

  /// Those of a sent record. One that has no event in any field was sent without one, also where a template writes it.
  init(sent record: StoredRecord) {
    self.init(record)
    guard event == 0, action == 0, record.isWholeRecord, case .object(let members) = record.entry else { return }
    let hasEvent = members.contains { member in
      member.value.string.map { RecordWords.events.contains(RecordWords.mark($0.lowercased())) } ?? false
    }
    if !hasEvent { event = RecordWords.none }
  }

  private subscript(_ word: Word) -> UInt16 {
    get {
      switch word {
      case .event: event
      case .activity: activity
      case .action: action
      case .geofence: geofence
      }
    }
    set {
      switch word {
      case .event: event = newValue
      case .activity: activity = newValue
      case .action: action = newValue
      case .geofence: geofence = newValue
      }
    }
  }

  func says(_ word: Word) -> Bool { self[word] != 0 && self[word] != RecordWords.none }

  /// Whether the phone reported an unknown activity.
  var isOfUnknownActivity: Bool { activity == RecordWords.unknown }

  /// Reports whether the stored word differs and is not one of the SDK's.
  func isOther(_ word: Word, than stored: RecordWords) -> Bool {
    self[word] != stored[word] && difference(in: word, from: stored) == nil
  }

  /// Returns the differences in the SDK's words.
  func differences(from stored: RecordWords) -> [String] {
    Word.allCases.compactMap { difference(in: $0, from: stored) }
  }

  private func difference(in word: Word, from stored: RecordWords) -> String? {
    let (mine, theirs) = (self[word], stored[word])
    guard mine != 0, theirs != 0, mine != theirs else { return nil }
    if mine == RecordWords.none {
      guard RecordWords.events.contains(theirs), let found = RecordWords.vocabulary[theirs] else { return nil }
      return "\(word.name) \(found), which was not sent"
    }
    if word == .geofence { return "\(word.name) is not what was sent" }
    guard let sent = RecordWords.vocabulary[mine], let found = RecordWords.vocabulary[theirs] else { return nil }
    return "\(word.name) \(found) instead of \(sent)"
  }

  private static func mark(_ text: String) -> UInt16 { UInt16(1 + FNV1a.hash(text) % 65_535) }
}
