import Base
import Store
import Synchronization

/// Between the store's writer, which knows what is on disk, and the sessions that wait for it. Everything in it is bounded,
/// and without waiters and subscribers it costs the writer one look at a flag for each group.
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
    /// The session was told and has not fetched yet: it is not told again.
    var isTold = false
  }

  private struct State {
    var ring = EventRing()
    var subscribers: [Subscriber] = []
    var waiters: [Waiter] = []
    var watches = WatchTable()
    var lastID: UInt64 = 0
    /// The group that the writer is at, or was last.
    var group: UInt64 = 0
    /// How far a feed has told what was stored.
    var fed: ArrivalCursor?
    /// There was a subscriber: from then on the last events are kept.
    var hasListeners = false
  }

  /// Names this server in the ids of its events, so that those of an earlier one are not taken for its own.
  let epoch: Int64
  let tags = DeviceTags()
  let board = LiveBoard()
  private let state = Mutex(State())
  private let isWatched = Atomic(false)
  private let awaitsRequests = Atomic(false)
  private let post: @Sendable ([Message]) -> Void

  /// Records are told by a feed, which knows those of other servers too, and not by the writer.
  let isFed: Bool

  package init(epoch: Int64, isFed: Bool = false, post: @escaping @Sendable ([Message]) -> Void) {
    (self.epoch, self.isFed, self.post) = (epoch, isFed, post)
  }

  /// Whether it is worth making an event.
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

/// For the writer.
extension EventHub {
  /// Before the group with these jobs, on the writer's thread.
  func groupBegins() { state.withLock { $0.group += 1 } }

  /// After its commit.
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

  /// Batches that a feed has read, in the order in which they arrived, up to `end`.
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

  /// Whether a feed has to read records.
  var wantsRecords: Bool { isListening || board.hasViewers }

  /// Waits for a number of records in a store, whichever server has stored them; others count what arrives.
  var waitsForCounts: [(id: UInt64, condition: AwaitCondition)] {
    state.withLock { state in state.waiters.filter { !$0.condition.isFromNow }.map { ($0.id, $0.condition) } }
  }

  /// From any thread.
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

  /// Ends the waits whose condition holds, or can hold no more.
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

/// For waiters.
extension EventHub {
  /// The waiter's id; nil when there are too many. It gets one message, when the condition holds or can hold no more.
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

  /// What the store holds. To be called by a reading job on the writer's thread, where it is known exactly which groups
  /// are in it: no commit is counted twice, and none is missed.
  func begin(_ id: UInt64, stored: Int) {
    change { state, messages in
      let group = state.group
      EventHub.update(&state.waiters, &messages) { if $0.id == id { $0.begin(stored: stored, group: group) } }
    }
  }

  /// Records that were found stored. False when the wait is over.
  func found(_ uuids: [UUID128], for id: UInt64) -> Bool {
    change { state, messages in
      EventHub.update(&state.waiters, &messages) { if $0.id == id { $0.found(uuids) } }
      return state.waiters.contains { $0.id == id }
    }
  }

  /// Ends a wait and says how far it came, and how far a feed had told it what was stored; nil when it was met before, and the message
  /// is on its way.
  @discardableResult
  func giveUp(_ id: UInt64) -> (waiter: Waiter, fed: ArrivalCursor?)? {
    change { state, _ in
      guard let index = state.waiters.firstIndex(where: { $0.id == id }) else { return nil }
      return (state.waiters.remove(at: index), state.fed)
    }
  }
}

/// For those who wait for content, requests and commands.
extension EventHub {
  /// The id of the watch; nil when there are too many. `eventsWaiting` says that there is something new.
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

  /// A request was answered and is recorded. From any thread.
  func requestAnswered(run: String, device: String) {
    guard awaitsRequests.load(ordering: .acquiring) else { return }
    change { state, messages in state.watches.noteRequest(run: run, device: device, &messages) }
  }
}

/// For subscribers.
extension EventHub {
  /// The subscriber's id; nil when there are too many. `seen` is the last event that an earlier connection got.
  func subscribe(_ address: SessionAddress, _ filter: EventFilter, after seen: EventID?) -> UInt64? {
    change { state, messages in
      guard state.subscribers.count < EventHub.subscribersMax else { return nil }
      state.hasListeners = true
      state.lastID += 1
      var subscriber = Subscriber(id: state.lastID, address: address, filter: filter)
      if let seen {
        let isOurs = seen.epoch == epoch && seen.number <= state.ring.number
        let (missed, events) = state.ring.events(after: isOurs ? seen.number : 0)
        // How much of an earlier server was missed is unknown; it was something.
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

  /// About `bytesMax` bytes of events, the oldest first, after how many were missed before them; and whether there is more.
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

/// A store that tells the hub what it has committed, before the results are delivered.
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
    watch.committed(results, crowdedOut: store.crowdedOut, now: now)
    return results
  }

  func maintain(now: WallInstant) -> Bool { store.maintain(now: now) }
  var outage: StoreOutage? { store.outage }
  var outageDetail: String? { store.outageDetail }
  var crowdedOut: Int { store.crowdedOut }
  func damageFound() { store.damageFound() }
  func close() { store.close() }
}

extension StoreJob {
  /// What a feed leaves to be told.
  fileprivate var withoutRecords: StoreJob {
    guard case .ingest(var batch) = self else { return self }
    batch.points = []
    return .ingest(batch)
  }
}
