package import Base
package import Contract

/// A position as the operating system hands it over.
package struct Fix: Equatable, Sendable {
  package var coords: Coordinates
  /// When the receiver computed it, by its own clock.
  package var timestamp: WallInstant
  /// When the device had it, by its own clock (SDK §5.1); nil until then.
  package var receivedAt: WallInstant?
  /// Made up by a test tool of the platform.
  package var isMock = false

  package init(coords: Coordinates, timestamp: WallInstant) {
    self.coords = coords
    self.timestamp = timestamp
  }

  /// Handed over again, it stays one that was received before.
  package func received(at instant: WallInstant) -> Fix {
    var fix = self
    fix.receivedAt = receivedAt ?? instant
    return fix
  }
}
