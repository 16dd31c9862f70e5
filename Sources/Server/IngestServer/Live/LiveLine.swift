import Base
import Store

/// What one device did last.
struct LiveLine: Sendable {
  /// Where it was, and when by its own clock.
  struct Place: Sendable {
    /// The change of the board that brought it.
    let change: UInt64
    let recordedAt: Int64
    let latitude: Double
    let longitude: Double
    let event: String?
  }

  /// A batch may hold a day; who looks at the page sees where it led, the history is asked for elsewhere.
  static let placesKept = 16

  let device: DeviceIdentity
  /// The board's count when it last changed.
  var change: UInt64 = 0
  /// Milliseconds since 1970, by the clock of the server.
  var seenAt: Int64 = 0
  /// Of the last answer to the device; 0 before the first.
  var status = 0
  /// What spoilt that answer.
  var fault: ServerFault.Kind?
  /// The newest record with a position, as far as this board has seen.
  var newest: Point?
  /// When the newest came, by the clock of the server: other requests of the device say nothing about its lateness.
  var newestArrivedAt: Int64 = 0
  /// Of the last batches, the latest last.
  var places: [Place] = []

  init(_ device: DeviceIdentity) { self.device = device }

  mutating func note(_ batch: IngestBatch) {
    let arrivedAt = batch.receivedAt.millisecondsSince1970
    seenAt = max(seenAt, arrivedAt)
    for point in batch.points.suffix(LiveLine.placesKept) {
      guard let latitude = point.latitude, let longitude = point.longitude else { continue }
      // The same record sent once more came when it came first.
      if point.recordedAt > newest?.recordedAt ?? .min { newestArrivedAt = arrivedAt }
      if point.recordedAt >= newest?.recordedAt ?? .min { newest = point }
      places.append(
        Place(
          change: change, recordedAt: point.recordedAt, latitude: latitude, longitude: longitude, event: point.event))
    }
    if places.count > LiveLine.placesKept { places.removeFirst(places.count - LiveLine.placesKept) }
  }
}
