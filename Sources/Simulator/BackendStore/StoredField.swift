/// Comparisons of stored fields with what was sent.
package enum StoredField {
  /// Reports whether it is a time in an unknown notation, which cannot be judged.
  package static func isUnreadableTime(_ stored: StoredValue, _ field: String) -> Bool {
    isTime(field) && !stored.isNull && stored.instant == nil
  }

  private static func isTime(_ field: String) -> Bool { field == "timestamp" || field.hasSuffix(".timestamp") }

  /// Returns the parts of a degree that a stored coordinate counts, as 1e7 for 481370000 instead of 48.137; nil for one in degrees.
  /// Such coordinates are not judged, under any name (docs/conform.md).
  package static func partsOfDegree(_ stored: Double, insteadOf sent: Double) -> Double? {
    guard sent != 0 else { return nil }
    return partsOfDegrees.first { abs(stored / sent - $0) < 1 }
  }

  static let partsOfDegrees = [1e5, 1e6, 1e7]

  /// Compares times by instant, quantities as doubles, everything else as values.
  package static func difference(_ stored: StoredValue, _ sent: StoredValue, _ field: String) -> String? {
    if isTime(field) {
      guard let wanted = sent.instant else { return nil }
      if stored.instant == wanted { return nil }
      return "\(field): \(stored.shown) instead of \(sent.shown)"
    }
    if case .number = sent,
      field.hasPrefix("coords.") || field == "odometer" || field.hasPrefix("battery.") || field == "activity.confidence"
    {
      if let mine = stored.double, let theirs = sent.double, abs(mine - theirs) <= StoredField.tolerance(of: field) {
        return nil
      }
      return "\(field): \(stored.shown) instead of \(sent.shown)"
    }
    if case .bool(let flag) = sent, stored.flag == flag { return nil }
    if let (mine, theirs, _) = words(stored, sent, field), mine == theirs { return nil }
    return stored.difference(from: sent, at: field)
  }

  /// Reports whether a store has a word of its own in place of one of the SDK's.
  package static func isOwnWord(_ stored: StoredValue, insteadOf sent: StoredValue, _ field: String) -> Bool {
    if case .bool = sent { return stored.string?.isEmpty == false && stored.flag == nil }
    return words(stored, sent, field).map { mine, theirs, word in theirs.isOther(word, than: mine) } ?? false
  }

  /// Reports whether a stored event is one of the SDK's, and another one than was sent; nil: none was sent.
  package static func isOtherEvent(_ stored: String, than sent: String?) -> Bool {
    !RecordWords(sentEvent: sent).differences(from: RecordWords(.event, stored)).isEmpty
  }

  /// The words of a field that has one, compared as those of very many records are.
  private static func words(
    _ stored: StoredValue, _ sent: StoredValue, _ field: String
  ) -> (stored: RecordWords, sent: RecordWords, word: RecordWords.Word)? {
    guard let word = RecordWords.Word.allCases.first(where: { $0.name == field }), word != .geofence,
      let mine = stored.string, let theirs = sent.string
    else { return nil }
    return (RecordWords(word, mine), RecordWords(word, theirs), word)
  }

  /// Returns the difference between two texts that look the same; nil for others.
  static func otherForm(_ stored: String, _ sent: String) -> String? {
    guard stored == sent, !stored.utf8.elementsEqual(sent.utf8) else { return nil }
    func points(_ text: Substring.UnicodeScalarView) -> String {
      text.prefix(3).map { "U+" + String($0.value, radix: 16, uppercase: true) }.joined(separator: " ")
    }
    let count = zip(stored.unicodeScalars, sent.unicodeScalars).prefix { $0 == $1 }.count
    let (mine, theirs) = (stored.unicodeScalars.dropFirst(count), sent.unicodeScalars.dropFirst(count))
    return "another form of Unicode, \(points(mine)) instead of \(points(theirs))"
  }

  /// Returns the tolerance: 1e-7 degrees, about a centimetre, and two decimals for other quantities.
  private static func tolerance(of field: String) -> Double {
    field == "coords.latitude" || field == "coords.longitude" ? 1.0001e-7 : 0.005
  }
}
