package import Base
package import Vocabulary

/// The last entries of a device's log in memory, for fleets: the text is made only when somebody reads it, and a device that
/// writes nothing holds no memory.
package struct LogRing: Sendable {
  private var entries: [(instant: WallInstant, entry: LogEntry)] = []
  /// Where the oldest entry lies once the ring is full.
  private var oldest = 0
  private let capacity: Int

  /// Keeps so many entries.
  package init(capacity: Int) {
    precondition(capacity > 0, "a log has room for something")
    self.capacity = capacity
  }

  package var count: Int { entries.count }

  package mutating func append(_ entry: LogEntry, at instant: WallInstant) {
    if entries.count < capacity {
      entries.append((instant, entry))
    } else {
      entries[oldest] = (instant, entry)
      oldest = (oldest + 1) % capacity
    }
  }

  package mutating func removeAll() {
    entries = []
    oldest = 0
  }

  /// The entries that the query wants, in its order.
  package func text(_ query: LogQuery = LogQuery(), as text: LogText) -> [UInt8] {
    var bytes: [UInt8] = []
    var left = query.limit ?? .max
    for place in 0..<entries.count {
      let age = query.newestFirst ? entries.count - 1 - place : place
      let (instant, entry) = entries[(oldest + age) % entries.count]
      guard left > 0, query.contains(instant) else { continue }
      let length = bytes.count
      text.append(entry, at: instant, to: &bytes)
      if bytes.count > length { left -= 1 }
    }
    return bytes
  }
}
