import Base
import PostgresStore
import Store
import Threads

/// Follows the changes of all servers of one database on a thread of its own, and notifies the waiters and viewers of this
/// server. The records of all servers come this way, of this one too, so that each is reported once.
final class NodeFeed: Sendable {
  /// The receivers of changes.
  struct Listeners: Sendable {
    let hub: EventHub
    let boards: SharedBoards
    let latestExpiry: LatestCommandExpiry
    /// The board of the sinks; nil when no records are forwarded.
    let arrivals: ArrivalBoard?
    let sinks: [String]
    /// The keys of the identity provider; nil when the server poses as none.
    let keys: KeyRing?
  }

  private let place: String
  private let listeners: Listeners
  private let isStopping = AtomicFlag()
  private let waker = Waker()
  private let thread: NamedThread

  /// How long a change can go unnoticed when its notification was lost with its connection or server.
  private static let fallback = Nanoseconds.seconds(1)
  /// The wait for notifications, which also bounds the delay of a stop.
  private static let waitMilliseconds = 100
  /// Pauses between two looks, in milliseconds: a busy store notifies of every commit.
  private static let (watchedPause, idlePause) = (2, 25)
  private static let reconnectMilliseconds = 500

  init(_ place: String, _ listeners: Listeners) {
    (self.place, self.listeners) = (place, listeners)
    let (isStopping, waker) = (isStopping, waker)
    // The first wait may come before the thread has a connection.
    let beginning = NodeFeed.end(of: place)
    thread = NamedThread.started("feed") {
      // A new connection continues from the position of the last one.
      var position = beginning
      while !isStopping.isRaised {
        do throws(StoreError) {
          let session = try FeedSession(place, listeners, behind: position)
          // Also when a look fails: nothing is reported twice.
          defer { position = session.position }
          try session.catchUp()
          while !isStopping.isRaised {
            let isWatched = try session.look(NodeFeed.waitMilliseconds, fallback: NodeFeed.fallback)
            waker.wait(milliseconds: isWatched ? NodeFeed.watchedPause : NodeFeed.idlePause)
          }
        } catch {
          // The writer reports what is wrong with the database.
          waker.wait(milliseconds: NodeFeed.reconnectMilliseconds)
        }
      }
    }
  }

  /// Returns nil when the database cannot be queried.
  private static func end(of place: String) -> ArrivalCursor? {
    do throws(StoreError) { return try ChangeFeed(to: place, behind: nil).position } catch { return nil }
  }

  func stop() {
    isStopping.raise()
    waker.wake()
    thread.join()
  }
}

/// The state of one connection to the database.
private final class FeedSession {
  private let feed: ChangeFeed
  private let listeners: NodeFeed.Listeners
  private let clock = SystemClock()
  private var lookedAt: MonotonicInstant

  init(_ place: String, _ listeners: NodeFeed.Listeners, behind position: ArrivalCursor?) throws(StoreError) {
    feed = try ChangeFeed(to: place, behind: position)
    self.listeners = listeners
    lookedAt = clock.monotonicNow
  }

  /// Reports the changes made while there was no connection.
  func catchUp() throws(StoreError) { try take(.all) }

  var position: ArrivalCursor { feed.position }

  /// Waits for changes and reports them. Returns whether records are wanted.
  func look(_ milliseconds: Int, fallback: Nanoseconds) throws(StoreError) -> Bool {
    var kinds = try feed.wait(milliseconds: milliseconds)
    let now = clock.monotonicNow
    if now - lookedAt >= fallback {
      kinds.formUnion([.records, .documents, .commands, .sinks, .secrets])
      lookedAt = now
    }
    if !kinds.isEmpty { try take(kinds) }
    return listeners.hub.wantsRecords
  }

  private func take(_ kinds: ChangeKinds) throws(StoreError) {
    let (hub, reader) = (listeners.hub, feed.reader)
    if kinds.contains(.documents) { try listeners.boards.follow { () throws(StoreError) in try feed.documents() } }
    if kinds.contains(.devices) {
      try hub.tags.reload(from: reader)
      hub.board.forgetAll()
    }
    if kinds.contains(.commands), let expiry = try reader.lastOrderExpiry() {
      listeners.latestExpiry.extend(to: expiry)
    }
    if kinds.contains(.secrets), let keys = listeners.keys {
      try keys.follow(at: clock.wallNow) { () throws(StoreError) in try feed.secret(KeyRing.documentName) }
    }
    if kinds.contains(.records) { try takeRecords() }
    if kinds.contains(.sinks), let arrivals = listeners.arrivals {
      for (sink, lag) in try feed.lags(of: listeners.sinks) { arrivals.note(lag: lag, of: sink) }
    }
  }

  private func takeRecords() throws(StoreError) {
    let hub = listeners.hub
    if !hub.wantsRecords, try feed.skip(unless: { hub.wantsRecords }) {
      hub.arrived([], through: feed.position)
      listeners.arrivals?.publish(end: feed.position)
      return
    }
    // Records that arrive meanwhile are left to the next look: with many writers there are always more.
    repeat {
      let batches = try feed.next()
      hub.arrived(batches, through: feed.position)
      listeners.arrivals?.publish(end: feed.position)
    } while feed.isBehind
    for (id, condition) in hub.waitsForCounts {
      hub.begin(id, stored: try feed.reader.arrived(run: condition.run, device: condition.device))
    }
  }
}
