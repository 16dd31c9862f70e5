import Glibc
import Support
import Testing

@testable import BackgroundGeolocation

/// A function of the app runs on the actor on which the compiler let it be written.
@Suite struct IsolationTests {
  /// What apps have: state of the main actor, changed by a listener without any hop of its own.
  @MainActor private final class Screen {
    var places: [Double] = []
    private var subscriptions: Set<EventSubscription> = []

    init(_ bgGeo: BGGeo) {
      bgGeo.onLocation { [weak self] event in self?.show(event) }.store(in: &subscriptions)
    }

    func show(_ event: LocationEvent) {
      MainActor.preconditionIsolated()
      places.append(event.coords?.latitude ?? 0)
    }
  }

  private actor Collector {
    private(set) var events: [Bool] = []
    private var subscription: EventSubscription?

    func listen(to bgGeo: BGGeo) { subscription = bgGeo.onEnabledChange { event in self.take(event) } }

    /// Keeps nothing of the actor alive.
    func listenWeakly(to bgGeo: BGGeo) { subscription = bgGeo.onEnabledChange { [weak self] _ in _ = self } }

    private func take(_ event: EnabledChangeEvent) {
      preconditionIsolated()
      events.append(event.enabled)
    }
  }

  @Test @MainActor func aListenerOfTheMainActorRunsOnIt() async throws {
    let bench = try Bench()
    let screen = Screen(bench.bgGeo)
    try await bench.startAtRest()
    bench.bgGeo.changePace(true)
    bench.drive(from: 20, to: 2_000, speed: 20)
    await bench.bgGeo.callbackQueue.drained()
    #expect(screen.places.count > 10 && screen.places == screen.places.sorted(), "in their order")
  }

  @Test func aListenerOfAnActorRunsOnIt() async throws {
    let bench = try Bench()
    let collector = Collector()
    await collector.listen(to: bench.bgGeo)
    bench.bgGeo.ready { _ in }
    for _ in 0..<20 {
      try await bench.bgGeo.start()
      bench.bgGeo.stop()
    }
    await bench.bgGeo.callbackQueue.drained()
    #expect(await collector.events == Array(repeating: [true, false], count: 20).flatMap(\.self))
  }

  @Test func anActorThatListensMayEnd() async throws {
    let bench = try Bench()
    var collector: Collector? = Collector()
    let hasEnded = { [weak collector] in collector == nil }
    await collector?.listenWeakly(to: bench.bgGeo)
    collector = nil
    bench.bgGeo.ready { _ in }
    try await bench.bgGeo.start()
    await bench.bgGeo.callbackQueue.drained()
    #expect(hasEnded())
  }

  /// One added on the main actor and one added on none hear of each event in turn.
  @Test @MainActor func listenersOfSeveralPlacesKeepOneOrder() async throws {
    let bench = try Bench()
    let inbox = Inbox<String>()
    let first = bench.bgGeo.onEnabledChange { inbox.add("main \($0.enabled)") }
    let second = Self.listenElsewhere(to: bench.bgGeo, inbox)
    bench.bgGeo.ready { _ in }
    try await bench.bgGeo.start()
    bench.bgGeo.stop()
    await bench.bgGeo.callbackQueue.drained()
    #expect(inbox.all == ["main true", "queue true", "main false", "queue false"])
    first.remove()
    second.remove()
  }

  private nonisolated static func listenElsewhere(to bgGeo: BGGeo, _ inbox: Inbox<String>) -> EventSubscription {
    bgGeo.onEnabledChange { inbox.add("queue \($0.enabled)") }
  }

  @Test @MainActor func theFunctionsOfAWatchRunOnTheMainActorToo() async throws {
    let bench = try Bench()
    try await bench.startAtRest()
    var calls: [String] = []
    let note = { @MainActor (call: String) in
      MainActor.preconditionIsolated()
      calls.append(call)
    }
    let id = bench.bgGeo.watchPosition(
      timeout: 5, success: { _ in note("position") }, failure: { _ in note("silence") })
    bench.clock.advance(by: 1)
    bench.platform.losePosition()
    bench.clock.advance(by: 5)
    await bench.bgGeo.callbackQueue.drained()
    bench.bgGeo.stopWatchPosition(id)
    #expect(calls == ["position", "silence"])
  }

  /// What the main actor had no time for before is left out, as of a listener that was removed.
  @Test(arguments: [true, false]) @MainActor func aWatchThatWasStoppedCallsNothingMore(isClosed: Bool) async throws {
    let bench = try Bench()
    try await bench.startAtRest()
    var calls = 0
    let id = bench.bgGeo.watchPosition(timeout: 5, success: { _ in calls += 1 }, failure: { _ in calls += 1 })
    bench.clock.advance(by: 1)
    bench.platform.losePosition()
    bench.clock.advance(by: 5)
    if isClosed { bench.bgGeo.close() } else { bench.bgGeo.stopWatchPosition(id) }
    await bench.bgGeo.callbackQueue.drained()
    #expect(calls == 0)
  }

  @Test @MainActor func readyCallsItsFunctionBeforeItReturns() throws {
    let bench = try Bench()
    var threads: [pthread_t] = []
    bench.bgGeo.ready { _ in threads.append(pthread_self()) }
    #expect(threads == [pthread_self()])
  }

  @Test @MainActor func aQueueThatTheMainActorEmptiesCallsThere() throws {
    let bench = try Bench()
    bench.bgGeo.callbackQueue = .emptiedByProgram()
    var statuses: [CLAuthorizationStatus] = []
    let subscription = bench.bgGeo.onProviderChange { statuses.append($0.status) }
    bench.bgGeo.ready { _ in }
    #expect(statuses.isEmpty)
    bench.bgGeo.callbackQueue.runPending()
    #expect(statuses == [.authorizedAlways])
    subscription.remove()
  }

  @Test @MainActor func aQueueThatAnotherThreadEmptiesLeavesTheMainActorItsCalls() async throws {
    let bench = try Bench()
    let queue = CallbackQueue.emptiedByProgram()
    bench.bgGeo.callbackQueue = queue
    var statuses: [CLAuthorizationStatus] = []
    let subscription = bench.bgGeo.onProviderChange { event in
      MainActor.preconditionIsolated()
      statuses.append(event.status)
    }
    bench.bgGeo.ready { _ in }
    await Task.detached { queue.runPending() }.value
    await queue.elsewhere?.drained()
    #expect(statuses == [.authorizedAlways])
    subscription.remove()
  }
}
