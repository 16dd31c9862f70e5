import Base
import Contract
import Testing
import Vocabulary

@testable import Engine

/// SDK §13.
@Suite struct SingleRequestTests {
  private func request(_ id: Int = 7, _ change: (inout PositionRequest) -> Void = { _ in }) -> EngineInput {
    var request = PositionRequest(id: id)
    change(&request)
    return .call(.currentPosition(request))
  }

  private func ready(_ platform: DevicePlatform = .ios) -> EngineRig {
    var rig = EngineRig(platform)
    rig.send(.ready(Launch()))
    _ = rig.take()
    return rig
  }

  private func success(_ effects: [Effect], _ id: Int = 7) -> LocationRecord? {
    if case .success(let record)? = effects.answers[id] { record } else { nil }
  }

  private func failure(_ effects: [Effect], _ id: Int = 7) -> LocationError? {
    if case .failure(let error)? = effects.answers[id] { error } else { nil }
  }

  @Test func theFirstGoodPositionAnswers() throws {
    var rig = ready()
    rig.send(request())
    rig.sample(accuracy: 20)
    rig.sample(accuracy: 5)
    let effects = rig.take()
    #expect(try #require(success(effects)).coords.accuracy == 5)
    #expect(effects.demands == [.sampling(desiredAccuracyMetres: 5), .sampling(desiredAccuracyMetres: nil)])
  }

  @Test func afterThreeTheBestAnswers() throws {
    var rig = ready()
    rig.send(request())
    for accuracy in [40.0, 12, 30] { rig.sample(accuracy: accuracy) }
    #expect(try #require(success(rig.take())).coords.accuracy == 12)
  }

  @Test func ofEqualsTheNewerAnswers() throws {
    var rig = ready()
    rig.send(request())
    for metres in [1.0, 2, 3] {
      rig.wait(1)
      rig.sample(north: metres, accuracy: 12)
    }
    #expect(try #require(success(rig.take())).timestamp == rig.now.wall)
  }

  @Test func positionsOnTheWayAreSamplesAndNeverKept() {
    var rig = EngineRig.resting()
    rig.wait(60)
    rig.send(request())
    rig.sample(accuracy: 40)
    let effects = rig.take()
    let samples = effects.events.compactMap { if case .location(let record) = $0 { record.isSample } else { nil } }
    #expect(samples == [true] && effects.kinds.isEmpty)
    rig.sample()
    #expect(rig.take().kinds == [.current])
  }

  /// BGGeo 416: "All intermediate samples are delivered", and the answer is none of them.
  @Test(arguments: [
    ([40.0, 12, 30], [40.0, 12, 30]), ([40, 30, 12], [40, 30]), ([12, 12, 12], [12, 12]), ([40, 4], [40]),
  ])
  func allPositionsButTheAnswerAreSamples(accuracies: [Double], samples: [Double]) {
    var rig = EngineRig.resting()
    rig.wait(60)
    rig.send(request())
    for accuracy in accuracies {
      rig.wait(1)
      rig.sample(accuracy: accuracy)
    }
    let effects = rig.take()
    let told = effects.events.compactMap { event -> LocationRecord? in
      if case .location(let record) = event { record } else { nil }
    }
    #expect(told.filter(\.isSample).map(\.coords.accuracy) == samples.map { $0 })
    #expect(told.filter { !$0.isSample }.map(\.coords.accuracy) == [accuracies.min()])
    #expect(success(effects)?.coords.accuracy == accuracies.min())
  }

  @Test func aPositionFromBeforeTheRequestIsTooOld() {
    var rig = ready()
    rig.send(request())
    rig.sample(ageSeconds: 2)
    #expect(rig.take().answers.isEmpty)
    rig.sample(ageSeconds: 1)
    #expect(rig.take().answers.count == 1, "a second is tolerated")
  }

  @Test(arguments: [0.0, 5_000])
  func aPositionFromTheFutureIsNone(maximumAge: Double) {
    var rig = ready()
    rig.sample(ageSeconds: -60)
    rig.send(request { $0.maximumAgeMilliseconds = maximumAge })
    rig.sample(ageSeconds: -60)
    #expect(rig.take().answers.isEmpty, "the clock was set back by a minute")
    rig.sample()
    #expect(rig.take().answers.count == 1)
  }

  /// Three samples are wanted, and the clock is set back by a minute after two good ones.
  @Test func samplesFromBeforeAClockResetAreIgnored() throws {
    var rig = ready()
    rig.send(request { $0.desiredAccuracyMetres = 1 })
    for _ in 0..<2 { rig.sample(accuracy: 5) }
    rig.setClock(bySeconds: -60)
    for _ in 0..<2 { rig.sample(accuracy: 20) }
    #expect(rig.take().answers.isEmpty)
    rig.sample(accuracy: 30)
    #expect(try #require(success(rig.take())).coords.accuracy == 20)
    rig.send(request { $0.desiredAccuracyMetres = 1 })
    rig.sample(accuracy: 5)
    rig.setClock(bySeconds: -60)
    rig.wait(10)
    #expect(failure(rig.take()) == .timeout)
  }

  @Test func aRequestThatAllowsAgeIsAnsweredByTheLastPosition() {
    var rig = ready()
    rig.sample()
    rig.wait(4)
    rig.send(request { $0.maximumAgeMilliseconds = 5_000 })
    #expect(success(rig.take()) != nil)
    rig.wait(4)
    rig.send(request { $0.maximumAgeMilliseconds = 5_000 })
    #expect(rig.take().answers.isEmpty)
  }

  @Test func theTimeLimitWithoutAnyPositionIsAnError() {
    var rig = ready()
    rig.send(request())
    rig.wait(9.9)
    #expect(rig.take().answers.isEmpty)
    rig.wait(0.1)
    let effects = rig.take()
    #expect(failure(effects) == .timeout && LocationError.timeout.code == 408)
    #expect(effects.events == [.locationError(.timeout)])
  }

  @Test func atTheTimeLimitAnyPositionIsBetterThanNone() throws {
    var rig = ready()
    rig.send(request())
    rig.sample(accuracy: 200)
    rig.wait(10)
    #expect(try #require(success(rig.take())).coords.accuracy == 200)
  }

  @Test func withoutAllowStaleItIsNot() {
    var rig = ready()
    rig.send(request { $0.allowStale = false })
    for _ in 0..<4 { rig.sample(accuracy: 200, ageSeconds: 30) }
    rig.wait(10)
    #expect(failure(rig.take()) == .timeout)
  }

  @Test func aNegativeAccuracyIsNoPosition() {
    var rig = ready()
    rig.send(request { $0.samples = 1 })
    rig.sample(accuracy: -1)
    #expect(rig.take().answers.isEmpty)
  }

  @Test func severalAtOnceAreServedByTheSamePositions() {
    var rig = ready()
    rig.send(request(1) { $0.desiredAccuracyMetres = 50 })
    rig.send(request(2))
    rig.send(request(3) { $0.samples = 2 })
    #expect(rig.take().demands == [.sampling(desiredAccuracyMetres: 50), .sampling(desiredAccuracyMetres: 5)])
    rig.sample(accuracy: 30)
    #expect(rig.take().answers.keys.sorted() == [1])
    rig.sample(accuracy: 30)
    #expect(rig.take().answers.keys.sorted() == [3])
    rig.sample(accuracy: 4)
    #expect(rig.take().answers.keys.sorted() == [2])
  }

  @Test(arguments: [1, 2, 5])
  func withoutPermissionThereIsNoPosition(status: Int) {
    var rig = ready()
    rig.send(.provider(provider(status: status)))
    _ = rig.take()
    rig.send(request())
    #expect(failure(rig.take()) == .permissionDenied)
    #expect(LocationError.permissionDenied.code == 1)
  }

  @Test func withoutServicesThereIsNone() {
    var rig = ready()
    rig.send(.provider(provider(status: 3, isEnabled: false)))
    _ = rig.take()
    rig.send(request())
    #expect(failure(rig.take()) == .servicesDisabled)
    #expect(LocationError.servicesDisabled.code == 503)
  }

  @Test func withReducedAccuracyNothingBetterIsWaitedFor() {
    var rig = ready()
    rig.send(.provider(provider(status: 3, accuracy: 1)))
    _ = rig.take()
    rig.send(request())
    rig.sample(accuracy: 3_000)
    #expect(success(rig.take()) != nil)
  }

  private func provider(status: Int, isEnabled: Bool = true, accuracy: Int = 0) -> ProviderState {
    ProviderState(
      isEnabled: isEnabled, authorizationStatus: status, hasGPS: true, hasNetwork: true,
      accuracyAuthorization: accuracy)
  }

  @Test func callsBeforeReadyWait() {
    var rig = EngineRig()
    rig.send(request())
    #expect(rig.take().isEmpty)
    rig.send(.ready(Launch()))
    rig.sample()
    #expect(success(rig.take()) != nil)
  }

  @Test func theExtrasOfARequestGoIntoItsRecordOnly() throws {
    var rig = EngineRig.resting()
    rig.wait(60)
    let extras = try RenderedObject("{\"trip\":7}")
    rig.send(request { $0.extras = extras })
    rig.sample()
    #expect(rig.take().persisted.map(\.record.extras) == [extras])
    rig.send(request())
    rig.sample()
    #expect(rig.take().persisted.map(\.record.extras) == [.empty])
  }

  @Test func aWatchStreamsAtItsIntervalUntilItIsStopped() {
    var rig = EngineRig.resting()
    rig.send(.call(.watchPosition(watch(intervalMilliseconds: 5_000))))
    for _ in 0..<11 {
      rig.sample()
      rig.wait(1)
    }
    #expect(rig.take().kinds == [.watch, .watch, .watch])
    rig.send(.call(.stopWatchPosition(id: 3)))
    #expect(rig.take().demands == [.sampling(desiredAccuracyMetres: nil)])
    rig.sample()
    #expect(rig.take().isEmpty)
  }

  /// SDK §19.5.
  @Test(arguments: [(0, true), (1, true), (2, true), (5, true), (3, false)])
  func aWatchHearsOnceWhyThereIsNoPosition(status: Int, isEnabled: Bool) {
    let error: LocationError = isEnabled ? .permissionDenied : .servicesDisabled
    var rig = EngineRig.resting()
    rig.send(.call(.watchPosition(watch())))
    _ = rig.take()
    rig.send(.provider(provider(status: status, isEnabled: isEnabled)))
    #expect(failures(rig.take()) == [error])
    rig.send(.provider(provider(status: status, isEnabled: isEnabled, accuracy: 1)))
    #expect(failures(rig.take()) == [], "it is denied as before")
    rig.send(.provider(provider(status: 3)))
    rig.sample()
    #expect(success(rig.take(), 3) != nil, "the same watch goes on")
    rig.send(.provider(provider(status: status, isEnabled: isEnabled)))
    _ = rig.take()
    rig.send(.call(.watchPosition(watch())))
    #expect(failures(rig.take()) == [error], "it begins while it is denied")
  }

  private func failures(_ effects: [Effect]) -> [LocationError] {
    effects.compactMap { if case .completed(id: 3, .failure(let error)) = $0 { error } else { nil } }
  }

  private func watch(intervalMilliseconds: Double = 1_000, persist: Bool? = nil) -> WatchRequest {
    var watch = WatchRequest(id: 3)
    watch.intervalMilliseconds = intervalMilliseconds
    watch.persist = persist
    return watch
  }

  /// SDK §23: what the app leaves open is decided as for tracked positions, and nothing is kept while tracking is off.
  @Test(arguments: [nil, true, false] as [Bool?], [true, false])
  func aWatchIsKeptWhileTrackingIsOnUnlessTheAppSaysNo(persist: Bool?, isEnabled: Bool) {
    var rig = isEnabled ? EngineRig.resting() : ready()
    _ = rig.take()
    rig.send(.call(.watchPosition(watch(persist: persist))))
    rig.sample()
    let effects = rig.take()
    #expect(effects.kinds == (isEnabled && persist != false ? [.watch] : []))
    #expect(effects.answers.keys.sorted() == [3])
  }

  @Test func anOldFixIsNotASample() throws {
    var rig = ready()
    rig.send(request())
    rig.sample(accuracy: 4, ageSeconds: 600)
    for accuracy in [12.0, 11] { rig.sample(accuracy: accuracy) }
    #expect(rig.take().answers.isEmpty, "two of three samples")
    rig.wait(10)
    #expect(try #require(success(rig.take())).coords.accuracy == 11)
  }

  @Test func aPositionOfTenMinutesAgoDoesNotAnswerOneSample() throws {
    var rig = EngineRig.resting()
    rig.wait(600)
    _ = rig.take()
    rig.send(request { $0.samples = 1 })
    rig.sample(ageSeconds: 600)
    let effects = rig.take()
    #expect(effects.answers.isEmpty && effects.kinds.isEmpty)
    rig.sample(accuracy: 50)
    #expect(try #require(success(rig.take())).timestamp == rig.now.wall)
  }

  /// SDK §23.
  @Test(arguments: [true, false])
  func onlyWithAllowStaleTheTimeLimitAnswersWithTheLastKnownPosition(allowStale: Bool) throws {
    var rig = ready()
    rig.sample(accuracy: 8)
    let known = rig.now.wall
    rig.wait(600)
    rig.send(request { $0.allowStale = allowStale })
    rig.wait(9.9)
    #expect(rig.take().answers.isEmpty)
    rig.wait(0.1)
    let effects = rig.take()
    #expect(success(effects)?.timestamp == (allowStale ? known : nil))
    #expect(failure(effects) == (allowStale ? nil : .timeout))
  }
}
