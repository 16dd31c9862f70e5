/// The last events, for a client that comes back after its connection was cut.
struct EventRing: Sendable {
  static let eventsMax = 512

  private var events: [LiveEvent] = []
  /// Of the last event.
  private(set) var number: UInt64 = 0

  /// Gives the event its number.
  mutating func append(_ event: LiveEvent) -> LiveEvent {
    number += 1
    var event = event
    event.number = number
    events.append(event)
    // Half at a time, so that moving the rest costs a constant for each event.
    if events.count == 2 * EventRing.eventsMax { events.removeFirst(EventRing.eventsMax) }
    return event
  }

  /// What came after an event, and how many of these are not here any more.
  func events(after seen: UInt64) -> (missed: UInt64, events: ArraySlice<LiveEvent>) {
    guard seen < number else { return (0, []) }
    let first = events.first?.number ?? number + 1
    let missed = first > seen + 1 ? first - seen - 1 : 0
    return (missed, events.drop { $0.number <= seen })
  }
}
