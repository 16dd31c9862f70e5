/// Why a file is no route: where, and what to do about it.
package struct RouteError: Error, Equatable, Sendable {
  /// What kind of mistake it is.
  package enum Code: Equatable, Sendable {
    case empty, endsTooEarly, malformed, badCoordinate, badNumber, badTime, missingColumn, missingTime, timeStepsBack
    case unsupported, tooDeep
  }

  package let code: Code
  package let spot: FileSpot
  /// A sentence with the mistake and its remedy.
  package let message: String

  package init(_ code: Code, at spot: FileSpot, _ message: String) {
    self.code = code
    self.spot = spot
    self.message = message
  }
}
