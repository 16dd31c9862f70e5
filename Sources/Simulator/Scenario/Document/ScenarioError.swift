/// One thing that is wrong with a scenario: where it stands, which key it is about, what is wrong, what would be right.
package struct ScenarioError: Error, Equatable, Sendable {
  /// What sort of mistake it is, for tests and programs; people read the message.
  package enum Kind: String, CaseIterable, Sendable {
    /// No JSON5.
    case syntax
    /// A key, or the name of a variant, that the table does not have.
    case unknown
    /// A value of another type, or of the right type in the wrong words.
    case wrongType
    /// A number, a list or a text beyond its limits.
    case outOfRange
    /// A key that must be there is not.
    case missing
    /// A name that no section of this scenario declares.
    case undeclared
    /// Values that are right by themselves and wrong together.
    case contradiction
    /// An override or a variable of the environment that leads nowhere.
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
  /// One line as compilers write it; `sources` names the file and then the overrides in their order.
  package func text(sources: [String]) -> String {
    let subject = path.isEmpty ? "" : "\(path): "
    return "\(position.text(sources: sources)): \(subject)\(message); \(remedy)"
  }
}

/// All that is wrong with a scenario, in the order of the text.
package struct ScenarioErrors: Error, Equatable, Sendable {
  package let all: [ScenarioError]

  init(_ problems: [ScenarioError]) {
    precondition(!problems.isEmpty, "an error needs a reason")
    all = problems.inReadingOrder
  }
}

extension [ScenarioError] {
  /// By position; at one position in the order in which they were found.
  var inReadingOrder: [ScenarioError] {
    enumerated().sorted { ($0.element.position, $0.offset) < ($1.element.position, $1.offset) }.map(\.element)
  }
}

/// A place in what the user wrote. Lines and columns count from 1; a column is a Unicode scalar.
package struct SourcePosition: Hashable, Comparable, Sendable {
  /// 0 is the scenario's file; n is the n-th override of the command line.
  package let source: Int
  package let line: Int
  package let column: Int

  package init(source: Int = 0, line: Int, column: Int) {
    self.source = source
    self.line = line
    self.column = column
  }

  /// `sources` names the file and then the overrides in their order.
  package func text(sources: [String]) -> String {
    let name = source < sources.count ? sources[source] : "override \(source)"
    return source == 0 ? "\(name):\(line):\(column)" : name
  }

  package static func < (left: SourcePosition, right: SourcePosition) -> Bool {
    (left.source, left.line, left.column) < (right.source, right.line, right.column)
  }
}
