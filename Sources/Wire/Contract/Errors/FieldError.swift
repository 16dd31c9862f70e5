/// Why an object from outside was refused: which field, and what should have stood there.
package struct FieldError: Error, Equatable, Sendable {
  /// What is wrong with the field.
  package enum Problem: Equatable, Sendable {
    case missing
    case wrongType(expected: String, found: String)
    case outOfRange(expected: String)
  }

  /// The way to the field, `vertices[2]`; empty for the object itself.
  package let path: String
  package let problem: Problem

  package init(_ path: String, _ problem: Problem) {
    self.path = path
    self.problem = problem
  }
}

extension FieldError: CustomStringConvertible {
  package var description: String {
    let field = path.isEmpty ? "the value" : path
    return switch problem {
    case .missing: "\(field) is missing"
    case .wrongType(let expected, let found): "\(field) must be \(expected), not \(found)"
    case .outOfRange(let expected): "\(field) must be \(expected)"
    }
  }
}
