import Base
import Contract
import Engine
import Host
import Oracle
import Scenario
import Testing
import Vocabulary
import World

@testable import FleetSimulator

/// What an app asks of the stream of positions, and what a platform makes of it, in whole runs. Expectations are those of
/// the documents: GeolocationConfig `locationUpdateInterval` and `stopAfterElapsedMinutes`, ActivityConfig
/// `disableStopDetection`, HttpConfig "Upload lifecycle".
@Suite struct StreamTermsTests {
  /// Ten minutes north, forty at rest, ten minutes on.
  private static let drive = """
    lat,lon,time
    48.00,11.50,2026-03-02T07:00:00Z
    48.10,11.50,2026-03-02T07:10:00Z
    48.10,11.50,2026-03-02T07:50:00Z
    48.20,11.50,2026-03-02T08:00:00Z

    """

  private func run(
    _ config: String, on profile: String, minutes: Int = 60, seed: UInt64 = 4, geofences: String = "{}",
    fleet: String = #"routes: "line""#
  ) throws -> (report: RunReport, heard: Heard) {
    let text = """
      { version: 1, name: "terms", seed: \(seed),
        clock: { start: "2026-03-02T07:00:00Z", duration: "\(minutes)m", settle: "5m" },
        sdk: { profile: "\(profile)", config: \(config) },
        motion: { stroll: { speed: { model: "constant", mean: "1.4m/s" }, activity: { walking: 0.9, still: 0.1 } } },
        routes: { line: { type: "replay", file: "line.csv" } }, geofences: \(geofences),
        fleets: { a: { devices: 4, network: "wifi", \(fleet) } } }
      """
    let files = RouteFiles(beside: nil, read: { $0 == "line.csv" ? Array(Self.drive.utf8) : nil }, list: { _ in nil })
    let heard = Heard()
    let setup = try RunSetup(ScenarioReader().read(text).scenario, files: files)
    return (try FleetRun(setup, store: Runs.store(), watchers: [heard]).run(), heard)
  }

  /// The system pauses the stream after a quarter of an hour: neither before, nor never. The rest begins with the last
  /// metres of the way.
  @Test func withoutStopDetectionIOSPausesAQuarterOfAnHourIntoARest() throws {
    let config = "{ activity: { disableStopDetection: true }, geolocation: { distanceFilter: 50 } }"
    let (report, heard) = try run(config, on: "ios-5.1")
    #expect(report.violations.isEmpty, "\(report.violations)")
    for device in 0..<4 {
      let rests = heard.motions.filter { $0.device == device && !$0.isMoving && $0.seconds > 600 }
      let first = try #require(rests.first, "device \(device) never came to rest")
      #expect((1_490...1_620).contains(first.seconds), "device \(device) came to rest at \(first.seconds) s")
    }
  }

  @Test func withoutPausesThePhoneOfIOSMovesForEver() throws {
    let config = "{ geolocation: { pausesLocationUpdatesAutomatically: false } }"
    let (_, heard) = try run(config, on: "ios-5.1")
    #expect(heard.motions.filter { !$0.isMoving && $0.seconds > 600 }.isEmpty)
  }

  /// With a distance filter of 0 Android asks for a position each `locationUpdateInterval`.
  @Test func androidStreamsAtItsInterval() throws {
    func positions(_ interval: Int) throws -> [Double] {
      let config = "{ geolocation: { distanceFilter: 0, locationUpdateInterval: \(interval) } }"
      let (report, heard) = try run(config, on: "android-5.1", minutes: 10)
      #expect(report.violations.isEmpty, "\(report.violations)")
      return heard.streamed.filter { $0.device == 0 }.map(\.seconds)
    }
    for (interval, expected) in [(1_000, 500...620), (5_000, 100...130), (30_000, 15...24)] {
      let instants = try positions(interval)
      #expect(expected.contains(instants.count), "\(instants.count) positions each \(interval) ms in ten minutes")
    }
  }

  /// Low, medium or high is all that CMMotionActivity says, and it knows no other word for who walks than on foot.
  @Test func activitiesAreThoseOfTheirPlatform() throws {
    let walk = #"motion: "stroll""#
    let (_, ios) = try run("{}", on: "ios-5.1", fleet: walk)
    // Before the first report nothing is known.
    let strange = ios.activities.filter { $0.type != .unknown && ![33, 66, 100].contains($0.confidence) }
    #expect(ios.activities.count > 20 && strange.isEmpty, "\(strange)")
    #expect(ios.activities.contains { $0.type == .onFoot } && !ios.activities.contains { $0.type == .walking })
    let (_, android) = try run("{}", on: "android-5.1", fleet: walk)
    #expect(android.activities.contains { $0.type == .walking && ![33, 66, 100].contains($0.confidence) })
  }

  /// Nothing is expected of a phone that has stopped as its configuration says. A crossing before the stop is told with its
  /// position, for which half a minute is left (SDK §13.2).
  @Test(arguments: ["ios-5.1", "android-5.1"], [2, 3, 5] as [UInt64])
  func whoStopsAfterHalfAnHourOwesNoFence(profile: String, seed: UInt64) throws {
    let grid = #"{ g: { type: "grid", count: 40 } }"#
    let (report, heard) = try run(
      "{ geolocation: { stopAfterElapsedMinutes: 30 } }", on: profile, minutes: 120, seed: seed, geofences: grid,
      fleet: #"geofences: "g""#)
    #expect(report.violations.isEmpty, "\(report.violations)")
    #expect(heard.fences.contains { $0 < 1_800 } && !heard.fences.contains { $0 > 1_831 })
  }

  private static let forms = [
    #"http: { rootProperty: "location" }"#, #"http: { rootProperty: "location", batchSync: true }"#,
    #"http: { rootProperty: "." }"#, #"http: { rootProperty: ".", params: { a: 1 } }"#,
    #"http: { rootProperty: ".", params: { a: 1 }, batchSync: true }"#,
  ]

  /// Records that cannot be told from each other are not judged, in whatever body they are. The server finds the place in the
  /// first four, by the usual names or by the template, and has none in the last.
  @Test(
    arguments: forms,
    [
      #"{"lat":<%= latitude %>,"lng":<%= longitude %>}"#, #"{"breite":<%= latitude %>,"laenge":<%= longitude %>}"#,
      "[<%= latitude %>,<%= longitude %>]", #"{"p":{"lat":<%= latitude %>,"lon":<%= longitude %>},"meta":{"a":1}}"#,
      #"{"location":{"breite":<%= latitude %>}}"#,
    ])
  func recordsWithoutUUIDAreNotJudged(http: String, template: String) throws {
    let config = #"{ \#(http), persistence: { locationTemplate: '\#(template)' } }"#
    let (report, _) = try run(config, on: "ios-5.1", minutes: 20)
    #expect(report.violations.isEmpty, "\(report.violations.prefix(3))")
    #expect(report.verification.outcome == .notAsked && report.sums.unverified > 100 && report.sums.lost == 0)
    #expect(report.verification.reason?.contains("uuid") == true)
    let durability = try #require(report.invariants.first { $0.invariant == .ackedIsDurable })
    guard case .notJudged = durability.verdict else { Issue.record("\(durability)"); return }
  }

  /// A record that names itself is never lost without a reason, whether the server can read it, puts it aside, or takes a part
  /// of it for the record.
  @Test(
    arguments: forms,
    [
      #"{"breite":<%= latitude %>,"laenge":<%= longitude %>,"kennung":"<%= uuid %>"}"#,
      #"{"p":{"lat":<%= latitude %>,"lon":<%= longitude %>},"meta":{"id":"<%= uuid %>"}}"#,
      #"{"breite":<%= latitude %>,"u":"<%= uuid %>"}"#, #"{"location":{"breite":<%= latitude %>,"id":"<%= uuid %>"}}"#,
    ])
  func recordsOfAnyTemplateAreFound(http: String, template: String) throws {
    let config = #"{ \#(http), persistence: { locationTemplate: '\#(template)' } }"#
    let (report, _) = try run(config, on: "android-5.1", minutes: 20)
    #expect(report.violations.isEmpty, "\(report.violations.prefix(3))")
    #expect(report.sums.lost == 0 && report.sums.created > 100)
  }

  @Test func recordsOfATemplateWithUUIDAreLookedUp() throws {
    let template = #"{ \"lat\": <%= latitude %>, \"lng\": <%= longitude %>, \"id\": \"<%= uuid %>\" }"#
    let (report, _) = try run(
      #"{ persistence: { locationTemplate: "\#(template)" } }"#, on: "android-5.1", minutes: 20)
    #expect(report.violations.isEmpty && report.verification.outcome == .verified && report.sums.stored > 100)
  }

  /// Only the template says what the elements of an array, or keys of an app's own, mean: the server inside is told it.
  @Test(arguments: [
    #"[<%= latitude %>,<%= longitude %>,"<%= timestamp %>","<%= uuid %>"]"#,
    #"{"breite":<%= latitude %>,"laenge":<%= longitude %>,"zeit":"<%= timestamp %>","kennung":"<%= uuid %>"}"#,
  ])
  func theServerInsideReadsTheAppsTemplate(template: String) throws {
    let (report, _) = try run(
      #"{ persistence: { locationTemplate: '\#(template)' } }"#, on: "ios-5.1", minutes: 20)
    #expect(report.violations.isEmpty && report.verification.outcome == .verified)
    #expect(report.sums.stored > 100 && report.sums.quarantined == 0, "\(report.sums)")
  }
}

private final class Heard: Watcher {
  private(set) var motions: [(device: Int, seconds: Double, isMoving: Bool)] = []
  private(set) var streamed: [(device: Int, seconds: Double)] = []
  private(set) var activities: [Activity] = []
  /// Seconds of crossings.
  private(set) var fences: [Double] = []

  func see(_ event: SimulationEvent, _ context: EventContext) {
    guard case .told(.engine(let told)) = event else { return }
    let seconds = context.now.monotonic.seconds
    switch told {
    case .motionChange(let record): motions.append((context.device, seconds, record.isMoving))
    case .location(let record) where !record.isSample:
      streamed.append((context.device, seconds))
      activities.append(record.activity)
    case .geofence: fences.append(seconds)
    default: break
    }
  }
}
