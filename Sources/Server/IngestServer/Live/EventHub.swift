import Base
import Store
import Synchronization

/// Connects the store's writer, which knows what is on disk, with the sessions that wait for it. Everything in it is bounded;
/// without waiters and subscribers it costs the writer one flag check for each group.
package final class EventHub: Sendable {
  /// A message and its receiver.
  package typealias Message = (message: SessionMessage, address: SessionAddress)

  static let waitersMax = 1_024
  static let subscribersMax = 256

  private struct Subscriber {
    let id: UInt64
    let address: SessionAddress
    let filter: EventFilter
    var queue = SubscriberQueue()
    /// The session was notified and has not fetched yet; it is not notified again.
    var isTold = false
  }

  private struct State {
    var ring = EventRing()
    var subscribers: [Subscriber] = []
    var waiters: [Waiter] = []
    var watches = WatchTable()
    var lastID: UInt64 = 0
    /// The group that the writer is executing, or executed last.
    var group: UInt64 = 0
    /// The position up to which a feed has reported stored records.
    var fed: ArrivalCursor?
    /// Whether there ever was a subscriber: from then on the last events are kept.
    var hasListeners = false
  }

  /// Identifies this server in the ids of its events, to tell them from those of an earlier process.
  let epoch: Int64
  let tags = DeviceTags()
  let board = LiveBoard()
  private let state = Mutex(State())
  private let isWatched = Atomic(false)
  private let awaitsRequests = Atomic(false)
  private let post: @Sendable ([Message]) -> Void

  /// Records are reported by a feed, which also knows those of other servers, instead of by the writer.
  let isFed: Bool

  package init(epoch: Int64, isFed: Bool = false, post: @escaping @Sendable ([Message]) -> Void) {
    (self.epoch, self.isFed, self.post) = (epoch, isFed, post)
  }

  /// Whether anybody would receive an event.
  var isListening: Bool { isWatched.load(ordering: .acquiring) }

  private func change<Result>(_ body: (inout State, inout [Message]) -> Result) -> Result {
    var messages: [Message] = []
    let result = state.withLock { state in
      let result = body(&state, &messages)
      let isAwaited = !state.waiters.isEmpty || state.watches.count > 0
      isWatched.store(state.hasListeners || isAwaited, ordering: .releasing)
      awaitsRequests.store(state.watches.requestCount > 0, ordering: .releasing)
      return result
    }
    if !messages.isEmpty { post(messages) }
    return result
  }
}

/// Calls of the writer.
extension EventHub {
  /// Called before a group is executed, on the writer's thread.
  func groupBegins() { state.withLock { $0.group += 1 } }

  /// Called after its commit.
  func committed(_ group: [StoreJob], _ results: [StoreResult], now: WallInstant) {
    tags.note(group, results)
    if board.hasViewers {
      board.committed(isFed ? group.map(\.withoutRecords) : group, results, at: now.millisecondsSince1970)
    }
    guard isListening else { return }
    change { state, messages in
      for (job, result) in zip(group, results) {
        if !isFed, !state.waiters.isEmpty, case .ingest(let batch) = job, case .ingested(let receipt) = result {
          let number = state.group
          EventHub.update(&state.waiters, &messages) { $0.note(batch, receipt, group: number) }
        }
        if case .changed = result { EventHub.loseRecords(to: job, &state.waiters, &messages) }
        if state.watches.count > 0 { state.watches.note(isFed ? job.withoutRecords : job, result, &messages) }
        guard state.hasListeners else { continue }
        for event in LiveEvent.events(of: job, result) where !isFed || event.kind != .records {
          EventHub.publish(event, &state, &messages)
        }
      }
    }
  }

  /// Called with batches that a feed has read, in order of arrival, up to `end`.
  func arrived(_ batches: [IngestBatch], through end: ArrivalCursor) {
    if board.hasViewers {
      for batch in batches { board.arrived(batch) }
    }
    change { state, messages in
      state.fed = end
      for batch in batches {
        let receipt = IngestReceipt(accepted: batch.points.count)
        EventHub.update(&state.waiters, &messages) { $0.noteFed(batch, receipt) }
        if state.watches.count > 0 { state.watches.note(.ingest(batch), .ingested(receipt), &messages) }
        guard state.hasListeners else { continue }
        for event in LiveEvent.events(of: .ingest(batch), .ingested(receipt)) {
          EventHub.publish(event, &state, &messages)
        }
      }
    }
  }

  /// Whether a feed must read records.
  var wantsRecords: Bool { isListening || board.hasViewers }

  /// Waits for a number of stored records, whichever server has stored them; waits that start now count what arrives.
  var waitsForCounts: [(id: UInt64, condition: AwaitCondition)] {
    state.withLock { state in state.waiters.filter { !$0.condition.isFromNow }.map { ($0.id, $0.condition) } }
  }

  /// Publishes an event, from any thread.
  func publish(_ event: LiveEvent) {
    change { state, messages in
      if state.hasListeners { EventHub.publish(event, &state, &messages) }
    }
  }

  private static func publish(_ event: LiveEvent, _ state: inout State, _ messages: inout [Message]) {
    let event = state.ring.append(event)
    for index in state.subscribers.indices where state.subscribers[index].filter.takes(event) {
      state.subscribers[index].queue.append(event)
      if !state.subscribers[index].isTold {
        state.subscribers[index].isTold = true
        messages.append((.eventsWaiting(state.subscribers[index].id), state.subscribers[index].address))
      }
    }
  }

  private static func loseRecords(to job: StoreJob, _ waiters: inout [Waiter], _ messages: inout [Message]) {
    for index in waiters.indices where waiters[index].condition.loses(to: job) {
      waiters[index].lose(to: job)
      messages.append((.eventsWaiting(waiters[index].id), waiters[index].address))
    }
    settle(&waiters, &messages)
  }

  private static func update(_ waiters: inout [Waiter], _ messages: inout [Message], _ body: (inout Waiter) -> Void) {
    for index in waiters.indices { body(&waiters[index]) }
    settle(&waiters, &messages)
  }

  /// Ends the waits whose condition holds, or cannot hold any more.
  private static func settle(_ waiters: inout [Waiter], _ messages: inout [Message]) {
    var hasMet = false
    for index in waiters.indices {
      if waiters[index].isMet || waiters[index].isOver {
        hasMet = true
        messages.append((.awaited(waiters[index].id, waiters[index].progress), waiters[index].address))
      }
    }
    if hasMet { waiters.removeAll { $0.isMet || $0.isOver } }
  }
}

/// Calls of waiters.
extension EventHub {
  /// Returns the waiter's id; nil when there are too many. It gets one message, when the condition holds or cannot hold any
  /// more.
  func wait(for condition: AwaitCondition, _ address: SessionAddress) -> UInt64? {
    change { state, messages in
      guard state.waiters.count + state.watches.count < EventHub.waitersMax else { return nil }
      state.lastID += 1
      let id = state.lastID
      state.waiters.append(Waiter(id: id, address: address, condition: condition))
      EventHub.settle(&state.waiters, &messages)
      return id
    }
  }

  /// Starts a count with what the store holds. Must be called by a query on the writer's thread, where it is known exactly
  /// which groups that includes: no commit is counted twice, and none is missed.
  func begin(_ id: UInt64, stored: Int) {
    change { state, messages in
      let group = state.group
      EventHub.update(&state.waiters, &messages) { if $0.id == id { $0.begin(stored: stored, group: group) } }
    }
  }

  /// Notes records that were found stored. Returns false when the wait has ended.
  func found(_ uuids: [UUID128], for id: UInt64) -> Bool {
    change { state, messages in
      EventHub.update(&state.waiters, &messages) { if $0.id == id { $0.found(uuids) } }
      return state.waiters.contains { $0.id == id }
    }
  }

  /// Ends a wait and returns its state, and the position up to which a feed had reported stored records; nil when it was met
  /// before, and the message is on its way.
  @discardableResult
  func giveUp(_ id: UInt64) -> (waiter: Waiter, fed: ArrivalCursor?)? {
    change { state, _ in
      guard let index = state.waiters.firstIndex(where: { $0.id == id }) else { return nil }
      return (state.waiters.remove(at: index), state.fed)
    }
  }
}

/// For waits for content, requests and commands.
extension EventHub {
  /// Returns the id of the watch; nil when there are too many. `eventsWaiting` is sent when there is something new.
  func watch(_ address: SessionAddress, run: String, device: String?, _ kinds: Set<ContentExpectation.Kind>) -> UInt64?
  {
    change { state, _ in
      guard state.waiters.count + state.watches.count < EventHub.waitersMax else { return nil }
      state.lastID += 1
      state.watches.add(
        WatchTable.Watch(id: state.lastID, address: address, device: device, kinds: kinds), run: run)
      return state.lastID
    }
  }

  func collect(_ id: UInt64, run: String) -> (batches: [IngestBatch], hasMissed: Bool) {
    state.withLock { $0.watches.collect(id, run: run) }
  }

  func unwatch(_ id: UInt64, run: String) { change { state, _ in state.watches.remove(id, run: run) } }

  /// Called when a request was answered and recorded, from any thread.
  func requestAnswered(run: String, device: String) {
    guard awaitsRequests.load(ordering: .acquiring) else { return }
    change { state, messages in state.watches.noteRequest(run: run, device: device, &messages) }
  }
}

/// Calls of subscribers.
extension EventHub {
  /// Returns the subscriber's id; nil when there are too many. `seen` is the last event that an earlier connection got.
  func subscribe(_ address: SessionAddress, _ filter: EventFilter, after seen: EventID?) -> UInt64? {
    change { state, messages in
      guard state.subscribers.count < EventHub.subscribersMax else { return nil }
      state.hasListeners = true
      state.lastID += 1
      var subscriber = Subscriber(id: state.lastID, address: address, filter: filter)
      if let seen {
        let isOurs = seen.epoch == epoch && seen.number <= state.ring.number
        let (missed, events) = state.ring.events(after: isOurs ? seen.number : 0)
        // How many events of an earlier server were missed is unknown; at least one was.
        subscriber.queue.miss(isOurs ? missed : max(1, missed))
        for event in events where filter.takes(event) { subscriber.queue.append(event) }
      }
      if !subscriber.queue.isEmpty {
        subscriber.isTold = true
        messages.append((.eventsWaiting(subscriber.id), address))
      }
      state.subscribers.append(subscriber)
      return subscriber.id
    }
  }

  /// Returns about `bytesMax` bytes of events, the oldest first, the number missed before them, and whether there are more.
  func fetch(_ id: UInt64, bytesMax: Int) -> (missed: UInt64, events: [LiveEvent], hasMore: Bool) {
    state.withLock { state in
      guard let index = state.subscribers.firstIndex(where: { $0.id == id }) else { return (0, [], false) }
      let (missed, events) = state.subscribers[index].queue.take(bytesMax: bytesMax)
      let hasMore = !state.subscribers[index].queue.isEmpty
      state.subscribers[index].isTold = hasMore
      return (missed, events, hasMore)
    }
  }

  func unsubscribe(_ id: UInt64) { state.withLock { $0.subscribers.removeAll { $0.id == id } } }
}

/// A store that notifies the hub of each commit before the results are delivered.
final class WatchedStore: Store {
  private let store: any Store
  private let hub: EventHub
  private var watch: CommitWatch

  init(_ store: any Store, hub: EventHub, _ watch: CommitWatch) {
    (self.store, self.hub, self.watch) = (store, hub, watch)
  }

  func apply(_ group: [StoreJob], now: WallInstant) -> [StoreResult] {
    hub.groupBegins()
    let results = store.apply(group, now: now)
    hub.committed(group, results, now: now)
    watch.committed(results, evictedFromQuarantine: store.evictedFromQuarantine, now: now)
    return results
  }

  func maintain(now: WallInstant) -> Bool { store.maintain(now: now) }
  var outage: StoreOutage? { store.outage }
  var outageDetail: String? { store.outageDetail }
  var evictedFromQuarantine: Int { store.evictedFromQuarantine }
  func damageFound() { store.damageFound() }
  func close() { store.close() }
}

extension StoreJob {
  /// The job without the records, which a feed reports.
  fileprivate var withoutRecords: StoreJob {
    guard case .ingest(var batch) = self else { return self }
    batch.points = []
    return .ingest(batch)
  }
}
