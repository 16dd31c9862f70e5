import Base
import Oracle
import Scenario
import Support
import Synchronization
import Testing
import Threads
import Upload

@testable import FleetSimulator

/// What a run tells of uploads that get no answer, and of those that wait for one as the drives end.
@Suite struct UnansweredTests {
  private func run(
    _ clock: String, _ more: String, at server: BareServer? = nil, watchers: [any Watcher] = []
  ) throws -> (summary: RunSummary, errors: [RequestError]) {
    let target = server.map { "target: { url: \"\($0.url)up\" }, " } ?? ""
    let scenario = try ScenarioReader(overrides: [], variable: { _ in nil }).read(
      """
      { version: 1, name: "unanswered", seed: 3, clock: { start: "2026-03-02T10:00:00Z", \(clock) }, \(target)\(more) }
      """
    ).scenario
    let setup = try RunSetup(scenario)
    let (measures, errors) = (try Measures(scenario, setup), ErrorWatch(setup))
    let destination = try RunDestination(of: setup) { try Runs.store() }
    let report = try FleetRun(setup, to: destination, watchers: [measures, errors] + watchers).run()
    let summary = measures.summary(of: report, hash: "", product: "test")
    return (summary, errors.errors(endedAt: summary.ended))
  }

  private static let cars = #"fleets: { cars: { devices: 4, motion: "driving", network: "lte" } }"#
  private static let patient = "sdk: { config: { http: { timeout: 3600000 } } }"

  /// Counts the uploads of the drives, those of them that failed by their end, and those that it aborted.
  private final class Drives: Watcher {
    var (uploads, failed, cut) = (0, 0, 0)
    private var areOver = false
    let waker = Waker()

    func see(_ event: SimulationEvent, _ context: EventContext) {
      switch event {
      case .sent(let request): if !areOver && request.purpose == .records { uploads += 1 }
      case .ended(_, let outcome):
        if !(200..<300).contains(outcome.status) { if areOver { cut += 1 } else { failed += 1 } }
      case .healed: areOver = true
      default: break
      }
    }

    func drivesEnded() { waker.wake() }
  }

  /// The server answers everything, after the end of the drives.
  @Test func theEndOfTheDrivesAbortsNothingAtARealServer() throws {
    let drives = Drives()
    let waker = drives.waker
    let isOpen = Mutex(false)
    let server = try BareServer { _ in
      isOpen.withLock { isOpen in
        if !isOpen { waker.wait() }
        isOpen = true
      }
      return .ok("{}")
    }
    defer { waker.wake() }
    let clock = #"mode: "accelerated", factor: 60, duration: "2m", settle: "1m""#
    let thresholds = #"thresholds: { "upload_failed{network:lte}": ["rate==0"], "uploads{network:lte}": ["count>0"] }"#
    let (summary, errors) = try run(
      clock, "\(Self.patient), \(Self.cars), \(thresholds)", at: server, watchers: [drives])
    #expect(drives.uploads > 0 && summary.figure("upload_failed") == .rate(hits: 0, of: drives.uploads))
    #expect(summary.answers == ["status 200": server.requests.count] && errors == [], "\(summary.answers)")
    #expect(summary.timeline.intervals.allSatisfy { $0.failed == 0 })
    #expect(summary.thresholds.map(\.outcome) == [.passed, .passed], "\(summary.thresholds)")
  }

  /// What timed out took as long as the app waited.
  @Test func aTimeoutIsADuration() throws {
    let toxic = #"toxic: { type: "timeout", stream: "upstream" }"#
    let faults = #"faults: [{ name: "silence", at: "4m", for: "3m", \#(toxic) }]"#
    let thresholds = #"thresholds: { "upload_duration{status:0}": ["min==2000", "max==2000", "count>0"] }"#
    let (summary, _) = try run(
      #"mode: "virtual", duration: "12m", settle: "5m""#,
      "sdk: { config: { http: { timeout: 2000 } } }, \(Self.cars), \(faults), \(thresholds)")
    #expect(summary.thresholds.map(\.outcome) == [.passed, .passed, .passed], "\(summary.thresholds)")
    guard case .trend(let durations)? = summary.figure("upload_duration{status:0}"),
      case .trend(let all)? = summary.figure("upload_duration"),
      case .rate(_, of: let uploads)? = summary.figure("upload_failed")
    else { return #expect(Bool(false), "no durations") }
    #expect(durations.histogram.count == UInt64(summary.answers["no answer in time"] ?? 0), "\(summary.answers)")
    #expect(all.histogram.count == UInt64(uploads), "all uploads of the drives")
  }

  /// The server never answers: an upload that is under way at the end has no 2xx, wherever uploads are counted.
  @Test func anUploadUnderWayAtTheEndHasFailed() throws {
    let server = try BareServer { _ in .silence }
    let thresholds = """
      thresholds: { upload_failed: ["rate<0.01"], "uploads{trigger:manual}": ["count==0"],
        "upload_failed{status:0,batch:false}": ["rate==1"], "uploads{status:0,batch:false}": ["count>0"] }
      """
    let (summary, errors) = try run(
      #"mode: "accelerated", factor: 60, duration: "2m", settle: "1s""#,
      "\(Self.patient), \(Self.cars), \(thresholds)", at: server)
    #expect(summary.answers == ["no answer by the end": 4], "\(summary.answers)")
    #expect(summary.figure("upload_failed") == .rate(hits: 4, of: 4))
    #expect(summary.thresholds.map(\.outcome).prefix(3) == [.failed, .passed, .passed], "\(summary.thresholds)")
    #expect(summary.figure("uploads{status:0,batch:false}") == .counter(4))
    let intervals = summary.timeline.intervals
    #expect(intervals.reduce(0) { $0 + $1.uploads } == 4 && intervals.reduce(0) { $0 + $1.failed } == 4)
    #expect(errors.map(\.kind) == ["no answer by the end"] && errors.map(\.count) == [4], "\(errors)")
  }

  /// A tunnel ends the first requests, a reboot the second ones, the end of the run the others.
  @Test func connectionsOfRequestsWithoutAnEndAreCounted() throws {
    let server = try BareServer { _ in .silence }
    let faults = """
      faults: [{ name: "tunnel", at: "2m", for: "10s", network: "none" },
        { name: "reboot", at: "4m", for: "10s", lifecycle: { reboot: true, relaunchAfter: "10s" } }]
      """
    let (summary, _) = try run(
      #"mode: "accelerated", factor: 60, duration: "6m", settle: "1s""#,
      "\(Self.patient), \(Self.cars), \(faults)", at: server)
    let connections = Set(server.requests.map(\.connection)).count
    #expect(connections > 4 && summary.figure("connects") == .counter(connections))
    #expect(summary.figure("connection_reuse") == .rate(hits: 0, of: connections))
    #expect(summary.figure("uploads") == .counter(connections), "\(summary.answers)")
  }

  /// In virtual time the hash contains the abort, which no figure holds against the server.
  @Test func theEndOfTheDrivesFailsNoUploadInVirtualTime() throws {
    let drives = Drives()
    let slow =
      #"networks: { slow: { latency: "20s" } }, fleets: { cars: { devices: 4, motion: "driving", network: "slow" } }"#
    let (summary, errors) = try run(#"mode: "virtual", duration: "12m", settle: "5m""#, slow, watchers: [drives])
    #expect(drives.cut > 0 && summary.answers["aborted by network change"] == drives.failed + drives.cut)
    #expect(summary.figure("upload_failed") == .rate(hits: drives.failed, of: drives.uploads - drives.cut))
    #expect(summary.timeline.intervals.reduce(0) { $0 + $1.failed } == drives.failed)
    #expect(errors.reduce(0) { $0 + $1.count } == drives.failed, "\(errors)")
  }
}
