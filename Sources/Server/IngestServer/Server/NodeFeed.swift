import Base
import PostgresStore
import Store
import Threads

/// Hears what the servers of one database do, in a thread of its own, and tells those here who wait or watch. Records come this way from
/// all servers, from this one too, so that each is told once.
final class NodeFeed: Sendable {
  /// Who is told.
  struct Listeners: Sendable {
    let hub: EventHub
    let boards: SharedBoards
    let latestExpiry: LatestCommandExpiry
    /// Nil when no records go on.
    let arrivals: ArrivalBoard?
    let sinks: [String]
    /// Nil where the server poses as no provider.
    let keys: KeyRing?
  }

  private let place: String
  private let listeners: Listeners
  private let isStopping = AtomicFlag()
  private let bell = Bell()
  private let thread: NamedThread

  /// So long a change may stay unseen whose notification was lost, with its connection or its server.
  private static let fallback = Nanoseconds.seconds(1)
  /// A stop waits as long.
  private static let waitMilliseconds = 100
  /// Between two looks: a busy store tells of each commit.
  private static let (watchedPause, idlePause) = (2, 25)
  private static let reconnectMilliseconds = 500

  init(_ place: String, _ listeners: Listeners) {
    (self.place, self.listeners) = (place, listeners)
    let (isStopping, bell) = (isStopping, bell)
    // The first wait may come before the thread has a connection.
    let beginning = NodeFeed.end(of: place)
    thread = NamedThread.started("feed") {
      // A new connection goes on where the last one was.
      var position = beginning
      while !isStopping.isRaised {
        do throws(StoreError) {
          let session = try FeedSession(place, listeners, behind: position)
          // Also where a look fails: what has been told is not told again.
          defer { position = session.position }
          try session.catchUp()
          while !isStopping.isRaised {
            let isWatched = try session.look(NodeFeed.waitMilliseconds, fallback: NodeFeed.fallback)
            bell.wait(milliseconds: isWatched ? NodeFeed.watchedPause : NodeFeed.idlePause)
          }
        } catch {
          // The writer says what is wrong with the database.
          bell.wait(milliseconds: NodeFeed.reconnectMilliseconds)
        }
      }
    }
  }

  /// Nil where the database cannot be asked.
  private static func end(of place: String) -> ArrivalCursor? {
    do throws(StoreError) { return try ChangeFeed(to: place, behind: nil).position } catch { return nil }
  }

  func stop() {
    isStopping.raise()
    bell.ring()
    thread.join()
  }
}

/// One connection's time.
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

  /// What was told while there was no connection.
  func catchUp() throws(StoreError) { try take(.all) }

  var position: ArrivalCursor { feed.position }

  /// Waits for changes and tells of them. True while records are wanted.
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
    // What arrives meanwhile is for the next look: with many writers there is always more.
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
