/// One `--set path=value`, or a flag that means one.
package struct Override: Equatable, Sendable {
  /// As it stands on the command line, for messages: `--set clock.duration=1h`, `--seed 7`.
  package let origin: String
  /// `fleets.couriers.stages[0].target`; names with points stand in brackets and quotes, `thresholds["a.b"]`.
  package let path: String
  /// JSON5, or a text that is none and stands for itself.
  package let value: String

  package init(origin: String, path: String, value: String) {
    self.origin = origin
    self.path = path
    self.value = value
  }

  /// `path=value`; nil without an equals sign or with nothing in front of it. A path in brackets may have one inside.
  package init?(setting text: String) {
    var isQuoted = false
    guard
      let place = text.firstIndex(where: {
        if $0 == "\"" { isQuoted.toggle() }
        return $0 == "=" && !isQuoted
      }), place != text.startIndex
    else { return nil }
    self.init(
      origin: "--set \(text)", path: String(text[..<place]), value: String(text[text.index(after: place)...]))
  }
}
