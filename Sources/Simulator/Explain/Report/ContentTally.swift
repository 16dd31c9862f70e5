import JSON

/// Counts how far the records that are stored once were compared with what was sent.
package struct ContentTally: Sendable {
  private var whole = 0
  private var none = 0
  /// Partial comparisons: with what was sent, or with a log.
  private var part = (sent: 0, logged: 0)
  private var unseen: [String] = []
  private var logged: [String] = []

  mutating func count(_ compared: ComparedContent) {
    switch compared {
    case .whole: whole += 1
    case .none: none += 1
    case .allBut(let fields):
      part.sent += 1
      for field in fields where !unseen.contains(field) { unseen.append(field) }
    case .logged(let fields):
      part.logged += 1
      for field in fields where !logged.contains(field) { logged.append(field) }
    }
  }

  /// The text, as "3 stored once as sent".
  var words: [String] {
    var words: [String] = []
    if whole > 0 { words.append("\(whole) stored once as sent") }
    if part.sent + part.logged > 0 { words.append("\(part.sent + part.logged) stored once, content compared in part") }
    if none > 0 { words.append("\(none) stored once, content not compared") }
    return words
  }

  var notes: [String] {
    var notes: [String] = []
    if part.sent > 0 {
      notes.append("of \(StoryText.count(part.sent, "record")) not all was compared: \(ComparedContent.list(unseen))")
    }
    if part.logged > 0 {
      notes.append(
        "of \(StoryText.count(part.logged, "record")) only \(logged.joined(separator: " and ")) were compared, with the log"
      )
    }
    return notes
  }

  var json: JSONValue {
    var object: JSONObject = ["whole": .integer(Int64(whole))]
    object["part"] = .integer(Int64(part.sent + part.logged))
    object["none"] = .integer(Int64(none))
    return .object(object)
  }
}
