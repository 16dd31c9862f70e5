package import Base

/// One word of a script.
package enum DriveStep: Equatable, Sendable {
  case press(DriveKey)
  /// By the clock of the phone.
  case wait(Nanoseconds)
  /// Until nothing waits in the queue and no request is under way, at most so long.
  case drain(Nanoseconds)

  package static let longestDrain = Nanoseconds.seconds(60)

  package init(word: String) throws(DriveScriptError) {
    if let key = DriveKey(word: word) {
      self = .press(key)
    } else if word == "drain" {
      self = .drain(DriveStep.longestDrain)
    } else if word.first?.isNumber == true, word.last?.isNumber == false, let span = Nanoseconds(text: word) {
      self = .wait(span)
    } else {
      throw DriveScriptError(word: word)
    }
  }

  /// Words between white space; from a `#` on the rest of a line is a remark.
  package static func script(_ text: String) throws(DriveScriptError) -> [DriveStep] {
    var steps: [DriveStep] = []
    for line in text.split(whereSeparator: \.isNewline) {
      let said = line.prefix { $0 != "#" }
      for word in said.split(whereSeparator: { $0.isWhitespace || $0 == "," }) {
        steps.append(try DriveStep(word: String(word)))
      }
    }
    return steps
  }
}

/// A word of a script that means nothing.
package struct DriveScriptError: Error, Equatable, CustomStringConvertible {
  package let word: String

  package var description: String {
    let near = NearestName.find(word, in: DriveKey.allCases.map(\.rawValue) + ["drain"])
    let hint = near.map { "did you mean '\($0)'?" } ?? "keys, words of 'rollingroad drive --help' and times as 90s do"
    return "'\(word)' is no key and no time; \(hint)"
  }
}
