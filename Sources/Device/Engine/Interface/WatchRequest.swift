package import Contract

/// A stream of positions beside the tracking, asked for by the app (SDK §13.3).
package struct WatchRequest: Equatable, Sendable {
  /// By which the watch is stopped.
  package var id: Int
  package var intervalMilliseconds = 1_000.0
  /// Nil: as the persist mode says, while tracking is enabled.
  package var persist: Bool?
  package var extras = RenderedObject.empty

  package init(id: Int) { self.id = id }
}
