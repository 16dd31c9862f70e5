/// One activity and how sure the sensors are of it.
package struct Activity: Equatable, Sendable {
  package var type: ActivityType
  /// Percent, 0 to 100.
  package var confidence: Int

  package init(_ type: ActivityType, confidence: Int) {
    self.type = type
    self.confidence = confidence
  }
}
