/// Compares fields of stored records with what was sent.
package enum StoredField {
  /// It is a time, and nothing can be said of it: no spelling that is known.
  package static func isUnreadableTime(_ stored: StoredValue, _ field: String) -> Bool {
    isTime(field) && !stored.isNull && stored.instant == nil
  }

  private static func isTime(_ field: String) -> Bool { field == "timestamp" || field.hasSuffix(".timestamp") }

  /// Times by their instant, quantities by their double, all else as values.
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
    if case .bool(let flag) = sent, case .number(let digits) = stored, digits == (flag ? "1" : "0") { return nil }
    return stored.difference(from: sent, at: field)
  }

  /// A tenth of a micron of a degree is a centimetre; other quantities have two decimals.
  private static func tolerance(of field: String) -> Double {
    field == "coords.latitude" || field == "coords.longitude" ? 1.0001e-7 : 0.005
  }
}
