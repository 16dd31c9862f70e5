/// What one subscriber has not fetched yet. Bounded: above the limit everything is let go of and counted, and the
/// subscriber is told to look for itself what it missed.
struct EventQueue: Sendable {
  static let eventsMax = 256

  private var events: [LiveEvent] = []
  private(set) var missed: UInt64 = 0

  var isEmpty: Bool { events.isEmpty && missed == 0 }

  mutating func append(_ event: LiveEvent) {
    if events.count == EventQueue.eventsMax {
      missed += UInt64(events.count)
      events.removeAll(keepingCapacity: true)
    }
    events.append(event)
  }

  mutating func miss(_ count: UInt64) { missed += count }

  /// How many were missed, then the oldest events, about `bytesMax` of them but at least one.
  mutating func take(bytesMax: Int) -> (missed: UInt64, events: [LiveEvent]) {
    var bytes = 0
    let end = events.firstIndex { event in
      defer { bytes += event.byteCount }
      return bytes >= bytesMax
    }
    let taken = Array(events[..<(end ?? events.endIndex)])
    events.removeFirst(taken.count)
    defer { missed = 0 }
    return (missed, taken)
  }
}
