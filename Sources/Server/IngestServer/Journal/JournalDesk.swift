import Base
package import Store
import Synchronization

/// Decides which requests are written down, and hands them to the journal's own thread. A request never waits for it.
package final class JournalDesk: Sendable {
  private let writer: JournalWriter
  private let share: Double
  private let seed: UInt64
  private let count = Atomic<UInt64>(0)
  private let post: @Sendable (SessionMessage, SessionAddress) -> Void

  /// `share` of the requests is written down, 0 to 1, chosen by the seed and the number of the request.
  package init(
    _ writer: JournalWriter, share: Double, seed: UInt64,
    post: @escaping @Sendable (SessionMessage, SessionAddress) -> Void
  ) {
    self.writer = writer
    self.share = share
    self.seed = seed
    self.post = post
  }

  /// Whether the next request is one of those.
  func takesNext() -> Bool {
    let n = count.wrappingAdd(1, ordering: .relaxed).oldValue
    if share >= 1 { return true }
    var stream = RandomStream(seed: seed, device: 0, concern: 0, n: n)
    return stream.chance(share)
  }

  func record(_ entry: JournalEntry) { writer.record(entry) }

  /// Asks on the journal's thread; the answer comes back to the address. False when it is stopping.
  func ask(_ question: @escaping @Sendable (Journal) -> SessionMessage, _ address: SessionAddress) -> Bool {
    writer.ask { [post] in post(question($0), address) }
  }

  package func stop() { writer.stop() }
}
