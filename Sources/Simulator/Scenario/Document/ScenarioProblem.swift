/// A mistake that only other values of the scenario show, or the machine: the path of the wrong value, the mistake, and a
/// remedy. Its position is that of the path in the document.
package struct ScenarioProblem: Error, Equatable, Sendable, CustomStringConvertible {
  package let kind: ScenarioError.Kind
  /// `fleets.couriers.stages[0].target`.
  package let path: String
  package let message: String
  /// What to write instead, as a sentence without a full stop.
  package let remedy: String
  /// The paths of other values on which it depends.
  package let reads: [String]

  package init(
    _ kind: ScenarioError.Kind, _ path: String, _ message: String, remedy: String,
    reading reads: [String] = []
  ) {
    (self.kind, self.path, self.message, self.remedy, self.reads) = (kind, path, message, remedy, reads)
  }

  /// A contradiction between values.
  package init(_ path: String, _ message: String, remedy: String, reading reads: [String] = []) {
    self.init(.contradiction, path, message, remedy: remedy, reading: reads)
  }

  package var description: String { "\(path): \(message); \(remedy)" }

  /// Returns the problem of a part as one of the whole, on which it then depends.
  func below(_ outer: String) -> ScenarioProblem {
    let whole = path.isEmpty ? outer : path.hasPrefix("[") ? outer + path : "\(outer).\(path)"
    return ScenarioProblem(kind, whole, message, remedy: remedy, reading: reads + [outer])
  }

  /// Reports whether all values on which it depends were read. A missing key leaves the others of its section readable.
  func isSound(beside unread: [ScenarioError]) -> Bool {
    !unread.contains { problem in
      ([path] + reads).contains {
        problem.path.isPath(within: $0) || (problem.kind != .missing && $0.isPath(within: problem.path))
      }
    }
  }
}

extension String {
  fileprivate func isPath(within outer: String) -> Bool {
    self == outer || outer.isEmpty || hasPrefix(outer + ".") || hasPrefix(outer + "[")
  }
}

extension ScenarioError {
  init(_ problem: ScenarioProblem, in document: JSON5Value) {
    self.init(
      problem.kind, at: document.position(atPath: problem.path), path: problem.path, problem.message,
      remedy: problem.remedy)
  }
}

extension JSON5Value {
  /// Returns the position of the value at a path, or of the innermost one around it.
  fileprivate func position(atPath path: String) -> SourcePosition {
    var value = self
    for step in DocumentPath(path)?.steps ?? [] {
      switch (step, value.content) {
      case (.key(let name), .object):
        guard let next = value[name] else { return value.position }
        value = next
      case (.index(let index), .array(let elements)) where elements.indices.contains(index): value = elements[index]
      case (.key, _), (.index, _): return value.position
      }
    }
    return value.position
  }
}

/// The positions of a scenario's values.
package struct ScenarioPlaces: Sendable {
  let document: JSON5Value

  /// Returns the problems with their positions, in the order of the text.
  package func errors(_ problems: [ScenarioProblem]) -> [ScenarioError] {
    problems.map { ScenarioError($0, in: document) }.inReadingOrder
  }
}
