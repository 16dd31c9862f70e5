import Base
import Contract
import Engine
import Host
import Oracle
import Scenario
import Sensing
import Testing
import Vocabulary
import World

@testable import FleetSimulator

/// A phone on a line through a circle: geometry says when it crosses.
@Suite struct FenceCrossingTests {
  /// North along a meridian, at an even speed, through the middle of the fence; then it stays where it is.
  private static let drive = """
    lat,lon,time
    48.10,11.50,2026-03-02T07:00:00Z
    48.13,11.50,2026-03-02T07:05:00Z
    48.13,11.50,2026-03-02T07:20:00Z

    """
  /// In the middle of the fence, all the time.
  private static let stay = """
    lat,lon,time
    48.115,11.50,2026-03-02T07:00:00Z
    48.115,11.50,2026-03-02T07:20:00Z

    """
  private static let center = (latitude: 48.115, radiusMetres: 300.0)
  private static let loiteringSeconds = 20.0

  /// When the body comes to the rim, and leaves the margin around it in which no phone can be sure; in seconds of the run.
  private static func crossings() throws -> (entry: Double, exit: Double) {
    func place(_ latitude: Double) throws -> Coordinate {
      try #require(Coordinate(latitude: latitude, longitude: 11.5))
    }
    let way = try place(48.10).distanceMetres(to: place(48.13))
    let middle = try place(48.10).distanceMetres(to: place(center.latitude))
    let outside = center.radiusMetres + NetworkPosition.accuracyMetres
    return ((middle - center.radiusMetres) / way * 300, (middle + outside) / way * 300)
  }

  private func watch(
    _ profile: String, devices: Int = 1, trips: String = "", route: String = drive, minutes: Int = 12,
    _ change: (inout RunSetup) -> Void = { _ in }
  ) throws -> Crossings {
    let text = """
      { version: 1, name: "fence", seed: 4,
        clock: { start: "2026-03-02T07:00:00Z", duration: "\(minutes)m", settle: "1m" },
        sdk: { profile: "\(profile)" },
        routes: { line: { type: "replay", file: "line.csv" } },
        geofences: { gate: { type: "list", fences: [{
          identifier: "gate", latitude: \(Self.center.latitude), longitude: 11.5, radius: \(Self.center.radiusMetres),
          notifyOnEntry: true, notifyOnExit: true, notifyOnDwell: true,
          loiteringDelay: \(Int(Self.loiteringSeconds * 1_000)) }] } },
        fleets: { a: { \(trips.isEmpty ? "devices: \(devices)" : trips), routes: "line", network: "wifi", geofences: "gate" } } }
      """
    let files = RouteFiles(beside: nil, read: { $0 == "line.csv" ? Array(route.utf8) : nil }, list: { _ in nil })
    var setup = try RunSetup(ScenarioReader().read(text).scenario, files: files)
    change(&setup)
    let crossings = Crossings()
    let report = try FleetRun(setup, store: Runs.store(), watchers: [crossings]).run()
    #expect(report.isRight)
    return crossings
  }

  @Test(arguments: ["android-5.1", "ios-5.1"])
  func aPhoneCrossesWhenGeometrySaysSo(profile: String) throws {
    let (entry, exit) = try Self.crossings()
    let seen = try watch(profile)
    #expect(seen.true.map(\.isEntry) == [true, false])
    #expect(abs(seen.true[0].seconds - entry) < 0.05 && abs(seen.true[1].seconds - exit) < 0.05, "\(seen.true)")
    // What the app hears comes behind the truth: by the next test of the circle, and the platform's delay.
    #expect(seen.told.map(\.action) == [.enter, .dwell, .exit], "\(seen.told)")
    let latest = CrossingTest.tick.seconds + 10
    #expect((entry...entry + latest).contains(seen.told[0].seconds))
    // Each is told with the best of at most three positions, which come a second apart (SDK §13.2).
    #expect(abs(seen.told[1].seconds - seen.told[0].seconds - Self.loiteringSeconds) < 3)
    #expect((exit...exit + latest).contains(seen.told[2].seconds))
  }

  /// SDK §15.4: the first position of a receiver that has just been switched on may be hundreds of metres off.
  @Test(arguments: ["android-5.1", "ios-5.1"], [false, true])
  func aPhoneThatStartsInsideGetsAnEntryDespiteABadFirstPosition(profile: String, isWanted: Bool) throws {
    let seen = try watch(profile, devices: 40, route: Self.stay) { setup in
      setup.fleets[0].geofences = setup.fleets[0].geofences.map { fence in
        Geofence(
          identifier: fence.identifier,
          shape: .circle(center: Geofence.Vertex(latitude: Self.center.latitude, longitude: 11.5), radiusMetres: 60))
      }
      setup.fleets[0].configuration.geolocation.geofenceInitialTriggerEntry = isWanted
    }
    for device in 0..<40 {
      let told = seen.told.filter { $0.device == device }
      #expect(told.map(\.action) == (isWanted ? [.enter] : []), "\(device): \(told)")
    }
    #expect(seen.suppressed == 0)
  }

  /// SDK §15.4: whatever is told in the end, an enter has its exit. A visit of which the phone slept through both ends is
  /// none. Some come back on the way, and some behind the fence.
  @Test(arguments: ["android-5.1", "ios-5.1"], [false, true])
  func aPhoneThatWasDownTellsOfWhatItMissed(profile: String, isReboot: Bool) throws {
    let seen = try watch(profile, devices: 40) { setup in
      setup.fleets[0].habits = HabitRates(
        killsPerHour: isReboot ? 0 : 25, rebootsPerHour: isReboot ? 25 : 0,
        relaunchSeconds: .uniform(min: 10, max: 200), bootSeconds: .uniform(min: 10, max: 200))
      setup.fleets[0].configuration.app.stopOnTerminate = false
      setup.fleets[0].configuration.app.startOnBoot = true
    }
    let exit = try Self.crossings().exit
    var late = 0
    for device in 0..<40 {
      let told = seen.told.filter { $0.device == device && $0.action != .dwell }
      #expect(told.map(\.action) == [.enter, .exit] || told.isEmpty, "\(device): \(told)")
      if let last = told.last, last.seconds > exit + 20 { late += 1 }
    }
    // A closed app goes on or comes back at once; only a phone that is switched off misses its exit.
    #expect(!isReboot || late > 0, "some were down when they left")
  }

  /// SDK §15.3.6: of many fences the phone is asked to watch the nearest ones only when its app has a position again, while
  /// what it has noticed since it is on may still be told.
  @Test(arguments: ["android-5.1", "ios-5.1"])
  func anEntryThatIsToldAfterTheFenceWasAskedForAgainHasItsExit(profile: String) throws {
    var reboot = LifecycleFault()
    (reboot.reboot, reboot.relaunchAfter) = (true, .uniform(min: 55, max: 85))
    let seen = try watch(profile, devices: 80) { setup in
      setup.fleets[0].configuration.app.stopOnTerminate = false
      setup.fleets[0].configuration.app.startOnBoot = true
      setup.fleets[0].geofences += (0..<120).map { number in
        let center = Geofence.Vertex(latitude: 48.2 + 0.01 * Double(number), longitude: 11.5)
        return Geofence(identifier: "far \(number)", shape: .circle(center: center, radiusMetres: 300))
      }
      setup.faults = [Fault(name: "off", start: .seconds(100), action: .lifecycle(reboot))]
    }
    var late = 0
    for device in 0..<80 {
      let told = seen.told.filter { $0.device == device && $0.action != .dwell }
      #expect(told.map(\.action) == [.enter, .exit] || told.isEmpty, "\(device): \(told)")
      if !told.isEmpty { late += 1 }
    }
    #expect(late > 20, "many came back in the fence")
  }

  /// Geofence 34: another fence of the same name takes the place of the old one. What the system has noticed about the old one
  /// and not told yet is no entry into the new one, far away.
  @Test(arguments: ["android-5.1", "ios-5.1"])
  func aCrossingOfAReplacedFenceIsNoneOfTheNewOne(profile: String) throws {
    var (record, command) = (DeviceFault(), RemoteFault())
    record.poisonRecord = .missingCoords
    let far = Geofence.Vertex(latitude: 48.2, longitude: 11.5)
    command.commands = [.addGeofence(Geofence(identifier: "gate", shape: .circle(center: far, radiusMetres: 300)))]
    let seen = try watch(profile, devices: 40, route: Self.stay) { setup in
      // Its upload brings the command within a second, before the system tells most phones that they start inside.
      setup.faults = [
        Fault(name: "replaced", start: .zero, action: .remote(command)),
        Fault(name: "record", start: .seconds(1), action: .device(record)),
      ]
    }
    // Only what a phone was told before, within the first of ten seconds, is still an entry into the old one.
    #expect(seen.told.count < 10 && seen.told.allSatisfy { $0.action == .enter }, "\(seen.told)")
  }

  /// SDK §15.3.8: it came in while it was off, and comes back where a first position often seems to lie outside. What it knew
  /// of the fence it asks the system about, also where it wants no initial trigger.
  @Test(arguments: ["android-5.1", "ios-5.1"], [false, true])
  func aPhoneThatCameInWhileItWasOffHearsOfItAtTheRim(profile: String, isWanted: Bool) throws {
    let justInside = Self.center.latitude - (Self.center.radiusMetres - 10) / 111_195
    let route = """
      lat,lon,time
      48.10,11.50,2026-03-02T07:00:00Z
      \(justInside),11.50,2026-03-02T07:05:00Z
      \(justInside),11.50,2026-03-02T07:20:00Z

      """
    var reboot = LifecycleFault()
    (reboot.reboot, reboot.relaunchAfter) = (true, .uniform(min: 120, max: 150))
    let seen = try watch(profile, devices: 40, route: route) { setup in
      setup.fleets[0].configuration.app.stopOnTerminate = false
      setup.fleets[0].configuration.app.startOnBoot = true
      setup.fleets[0].configuration.geolocation.geofenceInitialTriggerEntry = isWanted
      setup.faults = [Fault(name: "off", start: .seconds(200), action: .lifecycle(reboot))]
    }
    for device in 0..<40 {
      let told = seen.told.filter { $0.device == device && $0.action != .dwell }
      #expect(told.map(\.action) == [.enter], "\(device): \(told)")
    }
  }

  /// SDK §15.3.6: through a small fence in seven seconds, each report up to ten seconds late. A look every five seconds may
  /// miss the visit.
  @Test(arguments: ["android-5.1", "ios-5.1"])
  func theSystemTellsOfAnEntryBeforeTheExit(profile: String) throws {
    let seen = try watch(profile, devices: 40) { setup in
      setup.fleets[0].geofences = setup.fleets[0].geofences.map { fence in
        Geofence(
          identifier: fence.identifier,
          shape: .circle(center: Geofence.Vertex(latitude: Self.center.latitude, longitude: 11.5), radiusMetres: 30))
      }
    }
    #expect(!seen.told.isEmpty)
    for device in 0..<40 {
      let told = seen.told.filter { $0.device == device }
      #expect(told.map(\.action) == [.enter, .exit] || told.isEmpty, "\(device): \(told)")
    }
  }

  private func delays(_ profile: String, isHighAccuracy: Bool) throws -> (seconds: Double, positions: Int) {
    let seen = try watch(profile, devices: 10) { setup in
      setup.logged = Set(setup.deviceNames)
      setup.fleets[0].configuration.app.schedule = ["1-7 00:00-23:59 geofence"]
      setup.fleets[0].configuration.app.scheduleUseAlarmManager = true
      setup.fleets[0].configuration.geolocation.geofenceModeHighAccuracy = isHighAccuracy
    }
    let (entry, exit) = try Self.crossings()
    var sum = 0.0
    for device in 0..<10 {
      let told = seen.told.filter { $0.device == device && $0.action != .dwell }
      #expect(told.map(\.action) == [.enter, .exit], "\(device): \(told)")
      for crossing in told { sum += crossing.seconds - (crossing.action == .enter ? entry : exit) }
    }
    return (sum / 20, seen.positions)
  }

  /// Each trip begins at the start of the recorded route: there the phone is outside again.
  @Test(arguments: ["android-5.1", "ios-5.1"])
  func aTripThatBeginsElsewhereHasItsExit(profile: String) throws {
    let drive = """
      lat,lon,time
      48.10,11.50,2026-03-02T07:00:00Z
      48.115,11.50,2026-03-02T07:05:00Z

      """
    let trips = #"executor: "constant-arrival-rate", rate: 1, timeUnit: "12m", arrivals: "even", maxDevices: 1"#
    let told = try watch(profile, trips: trips, route: drive, minutes: 40).told.map(\.action).filter { $0 != .dwell }
    #expect(told.count >= 3 && told == told.indices.map { $0 % 2 == 0 ? .enter : .exit }, "\(told)")
  }

  /// SDK §15.6: better responsiveness at the cost of power, on the same drives.
  @Test(arguments: ["android-5.1", "ios-5.1"])
  func highAccuracyTellsOfCrossingsSoonerAndUsesTheReceiverMore(profile: String) throws {
    let plain = try delays(profile, isHighAccuracy: false)
    let accurate = try delays(profile, isHighAccuracy: true)
    #expect(accurate.seconds < plain.seconds / 2, "\(accurate) \(plain)")
    #expect(accurate.positions > 2 * plain.positions, "\(accurate) \(plain)")
  }

  /// A square of 600 metres around the middle, whose circle is 424 metres wide, in geofences-only mode.
  @Test(arguments: ["android-5.1", "ios-5.1"])
  func aPolygonIsCrossedInGeofencesOnlyMode(profile: String) throws {
    let (dy, dx) = (300 / 111_180.0, 300 / 74_400.0)
    let corners = [(-dy, -dx), (-dy, dx), (dy, dx), (dy, -dx)].map {
      Geofence.Vertex(latitude: Self.center.latitude + $0.0, longitude: 11.5 + $0.1)
    }
    let seen = try watch(profile, devices: 10) { setup in
      setup.fleets[0].geofences = [Geofence(identifier: "gate", shape: .polygon(corners))]
      setup.fleets[0].configuration.app.schedule = ["1-7 00:00-23:59 geofence"]
      setup.fleets[0].configuration.app.scheduleUseAlarmManager = true
    }
    let (entry, exit) = try Self.crossings()
    for device in 0..<10 {
      let told = seen.told.filter { $0.device == device }
      #expect(told.map(\.action) == [.enter, .exit], "\(device): \(told)")
      // At the latest when the system has told of the circle and the receiver has seen the sky.
      if let first = told.first, let last = told.last {
        #expect((entry - 2...entry + 60).contains(first.seconds), "\(device)")
        #expect((exit - 5...exit + 15).contains(last.seconds), "\(device)")
      }
    }
  }
}

/// The true crossings, and those that the app was told of.
private final class Crossings: Watcher {
  private(set) var `true`: [(isEntry: Bool, seconds: Double)] = []
  private(set) var told: [(action: GeofenceTrigger.Action, seconds: Double, device: Int)] = []
  /// How many positions the receivers gave to the devices that are logged.
  private(set) var positions = 0
  /// Crossings that the app was told of as no news.
  private(set) var suppressed = 0

  func see(_ event: SimulationEvent, _ context: EventContext) {
    let seconds = context.now.monotonic.seconds
    switch event {
    case .crossed(fence: "gate", let isEntry): `true`.append((isEntry, seconds))
    case .told(.engine(.geofence(let record, _))):
      if let action = record.geofence?.action { told.append((action, seconds, context.device)) }
    case .told(.engine(.locationFilter(let filtered))): if filtered.crossing != nil { suppressed += 1 }
    case .logged(.location): positions += 1
    default: break
    }
  }
}
