/// A comparison: `response.status in [200,201,204]`, `request.bytes > 65536`.
package struct Condition: Equatable, Sendable {
  /// The test of the number.
  package enum Test: Equatable, Sendable {
    case compare(Comparison, Double)
    case isOneOf([Double])
    case isNoneOf([Double])
  }

  package let subject: ConditionSubject
  package let test: Test

  package func holds(_ number: Double) -> Bool {
    switch test {
    case .compare(let comparison, let limit): comparison.holds(number, limit)
    case .isOneOf(let numbers): numbers.contains(number)
    case .isNoneOf(let numbers): !numbers.contains(number)
    }
  }
}

extension Condition {
  /// Statuses of a server that has not examined the records, for lack of credentials or time.
  private static let preliminary: Set<Int> = [401, 403, 407, 408, 429]

  /// Reports whether an answer tests the condition: one that excludes certain statuses is not tested when the server rejected
  /// the request earlier for another reason.
  package func isTested(by status: Int) -> Bool {
    let excluded: [Double]
    switch test {
    case .isNoneOf(let numbers): excluded = numbers
    case .compare(.different, let number): excluded = [number]
    case .compare, .isOneOf: return true
    }
    guard subject == .responseStatus, !excluded.contains(Double(status)) else { return true }
    if status >= 500 { return excluded.contains { $0 >= 500 } }
    return !Condition.preliminary.contains(status)
  }
}

extension Condition {
  /// Nil for an invalid condition; spaces are ignored.
  init?(_ text: String) {
    let words = text.split(separator: " ")
    let joined = words.joined(separator: " ")
    guard let first = words.first else { return nil }
    let name = first.prefix { $0.isLetter || $0 == "." }
    guard let subject = ConditionSubject(rawValue: String(name)) else { return nil }
    self.subject = subject
    let rest = joined.dropFirst(name.count).drop { $0 == " " }
    if rest.hasPrefix("not in "), let numbers = Condition.list(rest.dropFirst(7)) {
      test = .isNoneOf(numbers)
    } else if rest.hasPrefix("in "), let numbers = Condition.list(rest.dropFirst(3)) {
      test = .isOneOf(numbers)
    } else if let (comparison, number) = Comparison.split(rest) {
      test = .compare(comparison, number)
    } else {
      return nil
    }
  }

  private static func list(_ text: Substring) -> [Double]? {
    guard text.first == "[", text.last == "]" else { return nil }
    let parts = text.dropFirst().dropLast().split(separator: ",", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { Comparison.number($0) }
    return numbers.count == parts.count ? numbers : nil
  }
}

extension ValueCodec where Value == Condition {
  static func condition(_ subjects: [ConditionSubject] = ConditionSubject.allCases) -> ValueCodec {
    let names = subjects.map(\.rawValue).joined(separator: ", ")
    let words =
      "a comparison as in \"\(subjects[0].rawValue) > 100\" or \"\(subjects[0].rawValue) in [1, 2]\" of \(names)"
    let escaped = subjects.map { $0.rawValue.split(separator: ".").joined(separator: "\\.") }.joined(separator: "|")
    let number = "-?[0-9]+(\\.[0-9]+)?"
    let list = "(not )?in \\[ *\(number)( *, *\(number))* *\\]"
    let pattern = "^(\(escaped)) *((==|!=|<=|>=|<|>) *\(number)|\(list))$"
    return ValueCodec<String>.text(pattern: pattern, words: words).map(words: words) { text in
      Condition(text).flatMap { subjects.contains($0.subject) ? $0 : nil }
    }
  }
}

extension [ConditionSubject] {
  /// The subjects that are known before an answer.
  static var request: [ConditionSubject] { ConditionSubject.request }
}

/// The subject of a condition.
package enum ConditionSubject: String, CaseIterable, Sendable {
  case requestBytes = "request.bytes"
  case requestRecords = "request.records"
  case responseStatus = "response.status"
  case responseBytes = "response.bytes"
  /// In milliseconds.
  case responseDuration = "response.duration"

  /// Subjects without the answer, for requests under way.
  static let request: [ConditionSubject] = [.requestBytes, .requestRecords]
}

/// A comparison of two numbers.
package enum Comparison: String, CaseIterable, Sendable {
  // Longer operators first, because the first match is taken.
  case lessOrEqual = "<="
  case greaterOrEqual = ">="
  case equal = "=="
  case different = "!="
  case less = "<"
  case greater = ">"

  package func holds(_ left: Double, _ right: Double) -> Bool {
    switch self {
    case .lessOrEqual: left <= right
    case .greaterOrEqual: left >= right
    case .equal: left == right
    case .different: left != right
    case .less: left < right
    case .greater: left > right
    }
  }

  /// Splits `<= 5` into its two parts; `===`, which k6 accepts, too, is `==`.
  static func split(_ text: Substring) -> (Comparison, Double)? {
    let isTriple = text.hasPrefix("===") || text.hasPrefix("!==")
    guard let comparison = allCases.first(where: { text.hasPrefix($0.rawValue) }),
      let number = number(text.dropFirst(comparison.rawValue.count + (isTriple ? 1 : 0)))
    else { return nil }
    return (comparison, number)
  }

  /// Parses a finite decimal number with optional spaces.
  static func number(_ text: Substring) -> Double? {
    let trimmed = text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()
    let digits = String(trimmed)
    let isPlain = digits.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2D || $0 == 0x2E }
    guard isPlain, let first = digits.last, first != ".", !digits.hasPrefix("."), !digits.hasPrefix("-.") else {
      return nil
    }
    return Double(digits)
  }
}
