import Base
import FoundationEssentials
import Support
import Synchronization
import Testing
import Vocabulary

@testable import BackgroundGeolocation

/// Listeners, their queue and the clock.
@Suite struct EventTests {
  private func run(_ calls: [CallbackQueue.Call]) { for call in calls { call.body() } }

  @Test func aSubscriptionEndsWithItsLastReference() throws {
    let listeners = Listeners<Int>()
    let inbox = Inbox<Int>()
    var subscription: EventSubscription? = listeners.subscribe { inbox.add($0) }
    run(listeners.calls(1))
    subscription = nil
    run(listeners.calls(2))
    #expect(inbox.all == [1] && subscription == nil)
  }

  @Test func aSetKeepsASubscription() {
    let listeners = Listeners<Int>()
    let inbox = Inbox<Int>()
    var subscriptions = Set<EventSubscription>()
    listeners.subscribe { inbox.add($0) }.store(in: &subscriptions)
    run(listeners.calls(1))
    subscriptions.removeAll()
    run(listeners.calls(2))
    #expect(inbox.all == [1])
  }

  private final class Owner {
    var subscriptions = Set<EventSubscription>()
    private let ended: Inbox<String>

    init(_ ended: Inbox<String>) { self.ended = ended }
    deinit { ended.add("owner") }

    func listen(to listeners: Listeners<Int>) { listeners.subscribe { _ in _ = self }.store(in: &subscriptions) }
  }

  /// With the closure the owner of its subscription ends, and removes it once more.
  @Test func aListenerMayHoldTheOwnerOfItsSubscription() {
    let listeners = Listeners<Int>()
    let (all, one) = (Inbox<String>(), Inbox<String>())
    Owner(all).listen(to: listeners)
    #expect(all.all.isEmpty && listeners.calls(1).count == 1)
    listeners.removeAll()
    #expect(all.all == ["owner"])
    let owner = Owner(one)
    owner.listen(to: listeners)
    owner.subscriptions.first?.remove()
    #expect(listeners.calls(1).isEmpty)
  }

  @Test func noTimeIsLongerThanACentury() {
    let clock = DeviceClock(startingAt: Date(timeIntervalSince1970: 0))
    clock.advance(by: .infinity)
    #expect(clock.now == Date(timeIntervalSince1970: Nanoseconds.centurySeconds))
  }

  @Test func aListenerThatIsRemovedOnTheWayIsNotCalled() {
    let listeners = Listeners<Int>()
    let inbox = Inbox<String>()
    let second = Mutex<EventSubscription?>(nil)
    let first = listeners.subscribe { _ in
      inbox.add("first")
      second.withLock { $0 }?.remove()
    }
    let third = listeners.subscribe { _ in inbox.add("second") }
    second.withLock { $0 = third }
    run(listeners.calls(1))
    #expect(inbox.all == ["first"])
    first.remove()
  }

  @Test func callsComeOneAfterTheOtherInTheirOrder() async {
    let queue = CallbackQueue()
    let inbox = Inbox<Int>()
    for number in 0..<1_000 { queue.add { [CallbackQueue.Call(isolation: nil) { inbox.add(number) }] } }
    await queue.drained()
    #expect(inbox.all == Array(0..<1_000))
  }

  @Test func aQueueOfTheProgramWaitsForIt() throws {
    let queue = CallbackQueue.emptiedByProgram()
    let clock = DeviceClock(startingAt: Bench.start)
    let bgGeo = try BGGeo(folder: nil, platform: LinuxPlatform(clock: clock, transport: .none), callbackQueue: queue)
    let inbox = Inbox<ProviderChangeEvent>()
    let subscription = bgGeo.onProviderChange { inbox.add($0) }
    bgGeo.ready { _ in }
    #expect(inbox.all.isEmpty)
    queue.runPending()
    #expect(inbox.all.map(\.status) == [.authorizedAlways])
    subscription.remove()
  }

  @Test func aListenerMayCallTheInstance() async throws {
    let bench = try Bench()
    let inbox = Inbox<Bool>()
    let subscription = bench.bgGeo.onEnabledChange { [bgGeo = bench.bgGeo] event in
      inbox.add(event.enabled)
      if event.enabled { bgGeo.stop() }
    }
    try await bench.startAtRest()
    await bench.bgGeo.callbackQueue.drained()
    await bench.bgGeo.callbackQueue.drained()
    #expect(inbox.all == [true, false] && !bench.bgGeo.enabled)
    subscription.remove()
  }

  @Test func alarmsRingInTheOrderOfTheirTimes() {
    let clock = DeviceClock(startingAt: Bench.start)
    let inbox = Inbox<Double>()
    for seconds in [3, 1, 2, 9] {
      let number = clock.makeAlarmNumber()
      let instant = clock.moment.advanced(by: .seconds(Int64(seconds))).monotonic
      clock.setAlarm(
        number,
        DeviceClock.Alarm(instant: instant) {
          inbox.add(clock.now.timeIntervalSince(Bench.start))
        })
    }
    clock.advance(by: 5)
    #expect(inbox.all == [1, 2, 3] && clock.now == Bench.start.addingTimeInterval(5))
  }

  @Test func theClockOfTheMachineRingsToo() async {
    await withCheckedContinuation { continuation in
      let clock = DeviceClock.system
      let instant = clock.moment.advanced(by: .milliseconds(20)).monotonic
      clock.setAlarm(clock.makeAlarmNumber(), DeviceClock.Alarm(instant: instant) { continuation.resume() })
    }
  }

  @Test func allThreadsMayUseAnInstance() async throws {
    let bench = try Bench()
    bench.bgGeo.ready { _ in }
    await withTaskGroup { group in
      for task in 0..<8 {
        group.addTask {
          for number in 0..<50 {
            bench.platform.push(bench.fix(north: Double(task * 50 + number)))
            bench.bgGeo.config.geolocation.distanceFilter = Double(number)
            _ = bench.bgGeo.state
          }
        }
      }
    }
    #expect(bench.bgGeo.config.geolocation.distanceFilter == 49)
  }
}
