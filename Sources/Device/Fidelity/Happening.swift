package import Base

/// One thing that an engine, real or ours, did.
package struct Happening: Equatable, Sendable {
  package let kind: FidelityClass
  package let time: WallInstant
  /// Of the log: where it stands there, or for our engine the line of the input that it followed from.
  package let line: Int
  /// What must be the same on both sides.
  package let what: String

  package init(_ kind: FidelityClass, at time: WallInstant, line: Int, _ what: String) {
    self.kind = kind
    self.time = time
    self.line = line
    self.what = what
  }
}
