package import Base
internal import JSON

extension Form where Value == String {
  /// Any text that is not empty.
  static var text: Form { text(pattern: nil, words: "a text") }

  static func text(pattern: String?, words: String) -> Form {
    Form(.text(pattern: pattern, words: words), show: { .string($0) }) { value, reading in
      guard case .string(let text) = value.content, !text.isEmpty else {
        reading.refuse(value, expected: words)
        return nil
      }
      return text
    }
  }

  /// A text that `isRight` judges as the pattern does.
  static func text(pattern: String, words: String, where isRight: @escaping @Sendable (String) -> Bool) -> Form {
    text(pattern: pattern, words: words).map(words: words, show: { .string($0) }) { isRight($0) ? $0 : nil }
  }

  /// The name of something that another section declares.
  static func name(in space: DeclaredNames.Space) -> Form {
    Form(.text(pattern: nil, words: "the name of a \(space.singular)"), show: { .string($0) }) { value, reading in
      guard let name = Form.text.read(value, &reading) else { return nil }
      let known = reading.names.names(in: space)
      guard known.contains(name) else {
        reading.refuse(.undeclared, value.position, word: name, as: space.singular, known: known)
        return nil
      }
      return name
    }
  }
}

/// An instant, and how far the clocks on the wall are ahead of UTC there.
package struct ZonedInstant: Equatable, Sendable {
  package var instant: WallInstant
  package var offsetSeconds: Int
}

extension Form where Value == ZonedInstant {
  static var zonedInstant: Form {
    let words = "a date and time with its zone, as in \"2026-03-02T06:30:00+01:00\""
    let pattern = "^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9:.]+([Zz]|[-+][0-9]{2}(:?[0-9]{2})?)$"
    return Form<String>.text(pattern: pattern, words: words).map(
      words: words, show: { .string($0.instant.iso8601Text) }
    ) {
      text in
      WallInstant(iso8601: Array(text.utf8).span).map {
        ZonedInstant(instant: $0, offsetSeconds: offsetSeconds(of: text))
      }
    }
  }
}

/// Of a date and time that is one: what follows the sign behind its time of day.
private func offsetSeconds(of text: String) -> Int {
  let time = text.dropFirst("2026-03-02T".count)
  guard let sign = time.lastIndex(where: { $0 == "+" || $0 == "-" }) else { return 0 }
  let digits = time[time.index(after: sign)...].filter(\.isNumber)
  let (hours, minutes) = (Int(digits.prefix(2)) ?? 0, Int(digits.dropFirst(2)) ?? 0)
  return (hours * 3_600 + minutes * 60) * (time[sign] == "-" ? -1 : 1)
}

extension Form where Value: RawRepresentable<String> & CaseIterable {
  /// One of some words.
  static var choice: Form {
    let names = Value.allCases.map(\.rawValue)
    return Form(.choice(names), show: { .string($0.rawValue) }) { value, reading in
      guard case .string(let word) = value.content else {
        reading.refuse(value, expected: "one of " + names.joined(separator: ", "))
        return nil
      }
      guard let chosen = Value(rawValue: word) else {
        reading.refuse(.unknown, value.position, word: word, as: "value", known: names)
        return nil
      }
      return chosen
    }
  }
}
