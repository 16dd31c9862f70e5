package import Base

/// Which entries of a log are wanted (SDK §20.1).
package struct LogQuery: Equatable, Sendable {
  /// Nothing older; nil: from the beginning.
  package var start: WallInstant?
  /// Nothing newer; nil: to the end.
  package var end: WallInstant?
  package var newestFirst = false
  /// At most so many entries, the first in the order asked for; nil: all.
  package var limit: Int?

  package init() {}

  func contains(_ instant: WallInstant) -> Bool {
    instant >= (start ?? .earliest) && instant <= (end ?? .latest)
  }
}
