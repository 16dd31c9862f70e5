/// A problem in a scenario: its position, its key, the mistake, and a remedy.
package struct ScenarioError: Error, Equatable, Sendable {
  /// The kind of a mistake, for tests and programs; people read the message.
  package enum Kind: String, CaseIterable, Sendable {
    /// Invalid JSON5.
    case syntax
    /// An unknown key or variant.
    case unknown
    /// A value of the wrong type or form.
    case wrongType
    /// A number, a list or a text outside its limits.
    case outOfRange
    /// A missing required key.
    case missing
    /// A name that no section of this scenario declares.
    case undeclared
    /// Values that are valid separately but contradict each other.
    case contradiction
    /// An override or an environment variable that cannot be resolved, or a file that cannot be read.
    case unresolved
  }

  package let kind: Kind
  package let position: SourcePosition
  /// `fleets.couriers.stages[0].target`; empty for the document itself.
  package let path: String
  package let message: String
  /// What to write instead, as a sentence without a full stop.
  package let remedy: String

  package init(_ kind: Kind, at position: SourcePosition, path: String, _ message: String, remedy: String) {
    self.kind = kind
    self.position = position
    self.path = path
    self.message = message
    self.remedy = remedy
  }
}

extension ScenarioError {
  /// Returns a line in the style of compilers; `sources` names the file and then the overrides in order.
  package func text(sources: [String]) -> String {
    let subject = path.isEmpty ? "" : "\(path): "
    return "\(position.text(sources: sources)): \(subject)\(message); \(remedy)".onOneLine
  }
}

extension String {
  /// The text with control characters as in JSON: names may have some.
  fileprivate var onOneLine: String {
    unicodeScalars.reduce(into: "") { text, scalar in
      if scalar.value < 0x20 || scalar.value == 0x7F {
        text += "\\u00" + (scalar.value < 0x10 ? "0" : "") + String(scalar.value, radix: 16)
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
  }
}

/// All problems of a scenario, in the order of the text.
package struct ScenarioErrors: Error, Equatable, Sendable {
  package let all: [ScenarioError]

  init(_ problems: [ScenarioError]) {
    precondition(!problems.isEmpty, "an error needs a reason")
    all = problems.inReadingOrder
  }
}

extension [ScenarioError] {
  /// Sorted by position; at one position in order of detection.
  var inReadingOrder: [ScenarioError] {
    enumerated().sorted { ($0.element.position, $0.offset) < ($1.element.position, $1.offset) }.map(\.element)
  }
}

/// A position in the user's input. Lines and columns count from 1; a column is a Unicode scalar.
package struct SourcePosition: Hashable, Comparable, Sendable {
  /// 0 is the scenario file; n is the n-th override on the command line.
  package let source: Int
  package let line: Int
  package let column: Int

  package init(source: Int = 0, line: Int, column: Int) {
    self.source = source
    self.line = line
    self.column = column
  }

  /// Returns the text of the position; `sources` names the file and then the overrides in order.
  package func text(sources: [String]) -> String {
    let name = source < sources.count ? sources[source] : "override \(source)"
    return source == 0 ? "\(name):\(line):\(column)" : name
  }

  package static func < (left: SourcePosition, right: SourcePosition) -> Bool {
    (left.source, left.line, left.column) < (right.source, right.line, right.column)
  }
}
