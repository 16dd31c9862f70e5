import BackgroundGeolocation
import FoundationEssentials
import Synchronization
import Testing

/// What the document of BGGeo says of positions on demand.
extension BGGeoDocumentTests {
  // MARK: getCurrentPosition

  // BGGeo 404
  @Test(arguments: [false, true])
  func `BGGeo: a position on demand is stored and posted like any other`(isEnabled: Bool) async throws {
    let phone = try Phone()
    if isEnabled {
      try await phone.start { $0.http.url = Server.url }
    } else {
      phone.ready { $0.http.url = Server.url }
    }
    phone.server.forget()
    let event = try await phone.standing(at: 70) { try await $0.getCurrentPosition() }
    #expect(phone.server.uuids == [event.uuid] && event.coords?.latitude == Phone.latitude(70))
    #expect(phone.heard.locations.last?.uuid == event.uuid && phone.app.enabled == isEnabled)
  }

  // BGGeo 400, 404
  @Test func `BGGeo: with persist false it is not stored`() async throws {
    let phone = try Phone()
    try await phone.start()
    let count = phone.app.store.count
    _ = try await phone.standing { try await $0.getCurrentPosition(persist: false) }
    #expect(phone.app.store.count == count)
  }

  // BGGeo 400, 404: maximumAge 0, so that no position from before the request will do.
  @Test func `BGGeo: a position on demand is a new one`() async throws {
    let phone = try Phone()
    try await phone.start()
    phone.pass(minutes: 10)
    let event = try await phone.standing(at: 0, isSilent: true) { try await $0.getCurrentPosition(samples: 1) }
    let timestamp = try #require(event.timestamp)
    #expect(phone.clock.now.timeIntervalSince(timestamp) < 60 && (event.age ?? .max) < 2_000)
  }

  // BGGeo 400
  @Test func `BGGeo: within maximumAge the last position will do`() async throws {
    let phone = try Phone()
    try await phone.start()
    let last = phone.heard.locations.last?.timestamp
    phone.pass(30)
    let event = try await phone.app.getCurrentPosition(maximumAge: 60_000)
    #expect(event.timestamp == last)
  }

  // BGGeo 416
  @Test func `BGGeo: of several samples the best is the position`() async throws {
    let phone = try Phone()
    phone.ready()
    let app = phone.app
    let answer = Mutex<LocationEvent?>(nil)
    let task = Task {
      let event = try await app.getCurrentPosition(timeout: 60, desiredAccuracy: 1, samples: 3)
      answer.withLock { $0 = event }
    }
    var accuracies = [30.0, 12, 20].makeIterator()
    while answer.withLock({ $0 == nil }) {
      phone.push(accuracy: accuracies.next() ?? 50)
      phone.pass(1)
      await Task.yield()
      if phone.heard.samples.isEmpty { accuracies = [30.0, 12, 20].makeIterator() }
    }
    try await task.value
    let best = phone.heard.samples.compactMap(\.coords?.accuracy).min() ?? 0
    #expect(try #require(answer.withLock { $0 }).coords?.accuracy ?? .infinity <= best)
    #expect(phone.heard.samples.allSatisfy(\.sample) && phone.app.store.count == 1)
  }

  // BGGeo 404, 272
  @Test func `BGGeo: without permission it throws a LocationError and so does onLocation`() async throws {
    let phone = try Phone()
    phone.platform.setAuthorization(.denied)
    phone.ready()
    do {
      _ = try await phone.app.getCurrentPosition()
      Issue.record("no position can be had")
    } catch let error as LocationError { #expect(error.code == 1) }
    try await phone.app.start()
    phone.pass(minutes: 2)
    #expect(phone.heard.errors.contains(1))
  }

  // BGGeo 404
  @Test func `BGGeo: in a tunnel the time runs out`() async throws {
    let phone = try Phone()
    phone.ready()
    do {
      _ = try await phone.standing(isSilent: true) { try await $0.getCurrentPosition(timeout: 20, allowStale: false) }
      Issue.record("there is no position")
    } catch let error as LocationError { #expect(error.code == 408) }
  }

  // BGGeo 220
  @Test func `BGGeo: a heartbeat brings the last position and a call in its listener a fresh one`() async throws {
    let phone = try Phone()
    try await phone.start { config in
      config.http.url = Server.url
      config.app.heartbeatInterval = 600
    }
    let last = phone.heard.locations.last?.timestamp
    phone.pass(601)
    let beat = try #require(phone.heard.heartbeats.first)
    #expect(beat.location.timestamp == last && phone.heard.samples.isEmpty)
    let event = try await phone.standing(isSilent: true) { try await $0.getCurrentPosition(samples: 1, persist: true) }
    #expect(try #require(event.timestamp).timeIntervalSince(try #require(last)) > 600)
    #expect(phone.server.uuids.last == event.uuid)
  }

  // BGGeo 216
  @Test(arguments: [LinuxPlatform.Profile.iOS, .android])
  func `BGGeo: heartbeats come at rest at each interval and not on the way`(
    profile: LinuxPlatform.Profile
  ) async throws {
    let phone = try Phone(profile)
    try await phone.start { $0.app.heartbeatInterval = 60 }
    phone.pass(minutes: 10)
    #expect(phone.heard.heartbeats.count == 10)
    phone.app.changePace(true)
    phone.push()
    phone.heard.forget()
    phone.move(from: 0, to: 3_000)
    #expect(phone.heard.heartbeats.isEmpty)
  }

  // MARK: watchPosition

  /// Told a position each second for so long, while there is a watch.
  private func watch(
    _ phone: Phone, seconds: Int, interval: Double = 1_000, extras: [String: Any]? = nil
  ) -> (id: Int, told: @Sendable () -> [LocationEvent]) {
    let events = Inbox()
    let id = phone.app.watchPosition(
      isolation: nil, interval: interval, extras: extras, success: { events.add($0) }, failure: { _ in })
    for second in 0..<seconds {
      phone.pass(1)
      phone.push(Double(second) * 3)
    }
    return (id, { events.all })
  }

  private final class Inbox: Sendable {
    private let events = Mutex<[LocationEvent]>([])
    func add(_ event: LocationEvent) { events.withLock { $0.append(event) } }
    var all: [LocationEvent] { events.withLock { $0 } }
  }

  // BGGeo 638, 640, 268
  @Test func `BGGeo: a watch tells and stores and posts a stream while tracking is on`() async throws {
    let phone = try Phone()
    try await phone.start { $0.http.url = Server.url }
    phone.server.forget()
    phone.heard.forget()
    let stream = watch(phone, seconds: 30, extras: ["foo": "bar"])
    #expect(stream.told().count >= 25)
    #expect(stream.told().allSatisfy { $0.extras?["foo"] as? String == "bar" })
    #expect(Set(phone.server.uuids) == Set(stream.told().compactMap(\.uuid)))
    #expect(Set(phone.heard.locations.compactMap(\.uuid)) == Set(stream.told().compactMap(\.uuid)))
    phone.app.stopWatchPosition(stream.id)
    let count = stream.told().count
    phone.move(from: 0, to: 60, speed: 2)
    #expect(stream.told().count == count)
  }

  // BGGeo 640
  @Test func `BGGeo: a watch while tracking is off stores nothing`() throws {
    let phone = try Phone()
    phone.ready()
    let stream = watch(phone, seconds: 30)
    #expect(stream.told().count >= 25 && phone.app.store.count == 0)
    phone.app.stopWatchPosition(stream.id)
  }

  // BGGeo 636
  @Test func `BGGeo: a watch keeps its interval`() async throws {
    let phone = try Phone()
    try await phone.start()
    let stream = watch(phone, seconds: 60, interval: 10_000)
    #expect((5...7).contains(stream.told().count))
    phone.app.stopWatchPosition(stream.id)
  }

  // BGGeo 648
  @Test func `BGGeo: on iOS a watch goes on in the background`() async throws {
    let phone = try Phone(.iOS)
    try await phone.start()
    let stream = watch(phone, seconds: 5)
    phone.platform.enterBackground()
    phone.pass(minutes: 5)
    let count = stream.told().count
    for second in 0..<60 {
      phone.pass(1)
      phone.push(Double(second))
    }
    #expect(stream.told().count > count + 50)
    phone.app.stopWatchPosition(stream.id)
  }
}
