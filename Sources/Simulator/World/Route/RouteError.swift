/// Why a file is no route: where, and what to do about it.
package struct RouteError: Error, Equatable, Sendable {
  /// What kind of mistake it is.
  package enum Code: Equatable, Sendable {
    case empty, endsTooEarly, malformed, badCoordinate, badNumber, badTime, missingColumn, missingTime, timeStepsBack
    case unsupported, tooDeep
  }

  package let code: Code
  /// From 1.
  package let line: Int
  /// A sentence with the mistake and its remedy.
  package let message: String

  init(_ code: Code, line: Int, _ message: String) {
    self.code = code
    self.line = line
    self.message = message
  }
}
