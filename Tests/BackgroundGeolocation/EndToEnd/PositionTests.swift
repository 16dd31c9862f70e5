import FoundationEssentials
import Support
import Testing

@testable import BackgroundGeolocation

/// Single positions and watches on a device that stands still (SDK §13).
@Suite struct PositionTests {
  /// As in the example of `onHeartbeat`: the event brings the old position, the call a new one.
  @Test func aHeartbeatThatAsksForAPositionStoresANewRecord() async throws {
    let bench = try Bench()
    try await bench.startAtRest { config in config.app.heartbeatInterval = 600 }
    let told = Inbox<LocationEvent>()
    let (answers, source) = AsyncThrowingStream<LocationEvent, any Error>.makeStream()
    let subscription = bench.bgGeo.onHeartbeat { [bgGeo = bench.bgGeo] event in
      told.add(event.location)
      Task {
        do {
          source.yield(try await bgGeo.getCurrentPosition(samples: 1, persist: true))
        } catch { source.finish(throwing: error) }
      }
    }
    bench.clock.advance(by: 600)
    var iterator = answers.makeAsyncIterator()
    let location = try #require(try await iterator.next())
    #expect(told.last?.timestamp == Bench.start && told.last?.event == "heartbeat")
    #expect(location.timestamp == bench.clock.now && location.age == 0 && location.coords?.latitude == 45.5)
    let records = try await bench.bgGeo.store.all()
    #expect(records.count == 2 && records.last?["uuid"] as? String == location.uuid)
    #expect(records.last?["timestamp"] as? String == "2026-07-28T18:44:23.000Z")
    subscription.remove()
  }

  @Test func withinTheAllowedAgeTheLastPositionAnswers() async throws {
    let bench = try Bench()
    try await bench.startAtRest()
    bench.clock.advance(by: 4)
    let cached = try await bench.bgGeo.getCurrentPosition(maximumAge: 5_000)
    #expect(cached.timestamp == Bench.start && cached.age == 0, "its age when it was received")
    bench.clock.advance(by: 4)
    let fresh = try await bench.bgGeo.getCurrentPosition(maximumAge: 5_000)
    #expect(fresh.timestamp == bench.clock.now && fresh.age == 0)
  }

  /// Three samples of a receiver that is never as good as 5 m.
  @Test func aDeviceThatStandsStillIsSampledAgainAndAgain() async throws {
    let bench = try Bench()
    let samples = Inbox<LocationEvent>()
    let subscription = bench.bgGeo.onLocation { samples.add($0) }
    bench.bgGeo.ready { _ in }
    bench.push(accuracy: 12)
    async let position = bench.bgGeo.getCurrentPosition(allowStale: false)
    try await waitUntil { bench.platform.isSampling }
    bench.clock.advance(by: 5)
    let location = try await position
    #expect(location.coords?.accuracy == 12 && location.timestamp == Bench.start.addingTimeInterval(3))
    await bench.bgGeo.callbackQueue.drained()
    #expect(samples.all.filter(\.sample).count == 2)
    subscription.remove()
  }

  @Test func whileOneWaitsAnotherIsAnsweredToo() async throws {
    let bench = try Bench()
    bench.bgGeo.ready { _ in }
    bench.push(accuracy: 12)
    let id = bench.bgGeo.watchPosition(success: { _ in }, failure: { _ in })
    bench.clock.advance(by: 60)
    async let position = bench.bgGeo.getCurrentPosition(timeout: 3, desiredAccuracy: 20, allowStale: false)
    try await waitUntil { bench.bgGeo.device.perform { core, _ in !core.waiting.positions.isEmpty } ?? false }
    bench.clock.advance(by: 3)
    #expect(try await position.timestamp ?? Bench.start > Bench.start.addingTimeInterval(60))
    bench.bgGeo.stopWatchPosition(id)
  }

  @Test(arguments: [true, false])
  func inATunnelTheTimeRunsOut(allowStale: Bool) async throws {
    let bench = try Bench()
    try await bench.startAtRest()
    bench.platform.losePosition()
    bench.clock.advance(by: 600)
    let task = Task { try await bench.bgGeo.getCurrentPosition(timeout: 30, allowStale: allowStale) }
    try await waitUntil { bench.platform.isSampling }
    bench.clock.advance(by: 30)
    if allowStale {
      #expect(try await task.value.timestamp == Bench.start)
    } else {
      await #expect(throws: LocationError.timeout) { try await task.value }
    }
  }

  @Test func aWatchIsToldOfEachPositionAndOfSilence() async throws {
    let bench = try Bench()
    bench.bgGeo.ready { _ in }
    let places = Inbox<LocationEvent>()
    let errors = Inbox<Int>()
    let id = bench.bgGeo.watchPosition(
      interval: 1000, timeout: 60, extras: ["foo": "bar"], success: { places.add($0) },
      failure: { errors.add(($0 as? LocationError)?.code ?? -1) })
    for metres in stride(from: 0.0, to: 30, by: 10) {
      bench.clock.advance(by: 1)
      bench.push(north: metres)
    }
    bench.platform.losePosition()
    bench.clock.advance(by: 125)
    await bench.bgGeo.callbackQueue.drained()
    bench.bgGeo.stopWatchPosition(id)
    bench.push(north: 500)
    bench.clock.advance(by: 600)
    await bench.bgGeo.callbackQueue.drained()
    #expect(places.all.count == 3 && places.last?.extras?["foo"] as? String == "bar")
    #expect(errors.all == [408, 408])
    #expect(bench.bgGeo.store.count == 0, "tracking is off")
  }

  /// BGGeo 33: "no events fire" before `ready`, however long that takes.
  @Test func theTimeOfAWatchBeginsWithReady() async throws {
    let bench = try Bench()
    let errors = Inbox<Int>()
    let id = bench.bgGeo.watchPosition(
      success: { _ in }, failure: { errors.add(($0 as? LocationError)?.code ?? -1) })
    bench.clock.advance(by: 600)
    await bench.bgGeo.callbackQueue.drained()
    #expect(errors.all == [])
    bench.bgGeo.ready { _ in }
    bench.clock.advance(by: 59)
    await bench.bgGeo.callbackQueue.drained()
    #expect(errors.all == [])
    bench.clock.advance(by: 1)
    await bench.bgGeo.callbackQueue.drained()
    #expect(errors.all == [408])
    bench.bgGeo.stopWatchPosition(id)
  }

  @Test func aWatchGoesOnWhereTheDeviceStands() async throws {
    let bench = try Bench()
    try await bench.startAtRest()
    let places = Inbox<LocationEvent>()
    let errors = Inbox<String>()
    let id = bench.bgGeo.watchPosition(
      interval: 10_000, success: { places.add($0) }, failure: { errors.add("\($0)") })
    bench.clock.advance(by: 120)
    await bench.bgGeo.callbackQueue.drained()
    bench.bgGeo.stopWatchPosition(id)
    // A position comes each second and a half, so that ten seconds become ten and a half.
    #expect(places.all.count == 12 && errors.all.isEmpty)
    #expect(Set(places.all.map(\.coords?.latitude)) == [45.5])
  }

  /// SDK §23: the signature says no, the text says yes; who says nothing gets the text.
  @Test func aWatchIsStoredWhileTrackingIsOnUnlessItSaysNo() async throws {
    let bench = try Bench()
    try await bench.startAtRest()
    let before = bench.bgGeo.store.count
    for (persist, isOn, count) in [(nil, true, 1), (true, true, 1), (false, true, 0), (true, false, 0)]
      as [(Bool?, Bool, Int)]
    {
      if !isOn { bench.bgGeo.stop() }
      let stored = bench.bgGeo.store.count
      let id =
        if let persist {
          bench.bgGeo.watchPosition(persist: persist, success: { _ in }, failure: { _ in })
        } else {
          bench.bgGeo.watchPosition(success: { _ in }, failure: { _ in })
        }
      bench.bgGeo.stopWatchPosition(id)
      #expect(bench.bgGeo.store.count - stored == count, "persist \(persist as Any), tracking \(isOn)")
    }
    #expect(before == 1)
  }
}
