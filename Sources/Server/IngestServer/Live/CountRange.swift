import Contract
import JSON

/// How many are expected, in the words of WireMock.
struct CountRange: Equatable, Sendable {
  static let keys = ["exactly", "atLeast", "atMost"]

  var atLeast = 1
  /// Nil for any number more.
  var atMost: Int?
  /// It was said as one number.
  private var isExact = false

  func contains(_ count: Int) -> Bool { count >= atLeast && !isExceeded(by: count) }

  /// Counts only grow: such a range is never met any more.
  func isExceeded(by count: Int) -> Bool { atMost.map { count > $0 } ?? false }

  /// `exactly`, or `atLeast` and `atMost`; `absent` when none is said.
  init(_ fields: AdminFields, absent: Int) throws(FieldError) {
    let limits: ClosedRange<Int64> = 0...Int64(Int32.max)
    let exactly = try fields.integer("exactly", in: limits).map { Int($0) }
    let least = try fields.integer("atLeast", in: limits).map { Int($0) }
    let most = try fields.integer("atMost", in: limits).map { Int($0) }
    if let exactly {
      guard least == nil, most == nil else {
        throw FieldError(fields.place("exactly"), .outOfRange(expected: "left out beside atLeast and atMost"))
      }
      (atLeast, atMost, isExact) = (exactly, exactly, true)
    } else {
      atLeast = least ?? (most == nil ? absent : 0)
      atMost = most
    }
    if let atMost, atMost < atLeast {
      throw FieldError(fields.place("atMost"), .outOfRange(expected: "no less than atLeast"))
    }
  }

  /// `1 record`, `2 records`.
  static func records(_ count: Int) -> String { count == 1 ? "1 record" : "\(count) records" }

  /// `exactly 3`, `at least 1`, `2 to 5`.
  var text: String {
    guard let atMost else { return "at least \(atLeast)" }
    if isExact || atMost == atLeast && atLeast > 0 { return "exactly \(atMost)" }
    return atLeast == 0 ? "at most \(atMost)" : "\(atLeast) to \(atMost)"
  }
}
