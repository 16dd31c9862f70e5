/// The facts of a log line in the order in which they were written: `["device": .string(id), "records": .integer(250)]`.
/// Names are constants. Keeping them apart from one another and from `time`, `level` and `message` is the caller's part.
package struct LogFields: ExpressibleByDictionaryLiteral, Sendable {
  /// What a field can say; each kind keeps its form in both renderings.
  package enum Value: Equatable, Sendable {
    case string(String)
    case integer(Int64)
    case double(Double)
    case boolean(Bool)
  }

  package private(set) var pairs: [(name: StaticString, value: Value)]

  package init(dictionaryLiteral elements: (StaticString, Value)...) {
    pairs = elements.map { (name: $0.0, value: $0.1) }
  }

  package func followed(by others: LogFields) -> LogFields {
    var all = self
    all.pairs += others.pairs
    return all
  }
}
