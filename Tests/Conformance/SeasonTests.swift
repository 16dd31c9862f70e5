import Base
import Testing
import Threaded

@testable import Conformance

/// Old dates tell of zones, and nothing of how long a backend keeps records.
@Suite(.waits) struct SeasonTests {
  @Test(arguments: [ScriptedBackend.Defect.dropsOldRecords, .refusesOldRecords, .datesOldRecordsAnew])
  func aBackendMayKeepNoOldRecords(defect: ScriptedBackend.Defect) throws {
    let verdict = try ScriptedBackend(defect).verdict(on: "time-in-every-season")
    guard case .notJudged(let reason)? = verdict else {
      Issue.record("\(String(describing: verdict))")
      return
    }
    #expect("\(reason)".contains("of up to a year ago are"), "\(reason)")
  }

  @Test func theHoursOfEachChangeAreThere() throws {
    let now = try #require(WallInstant(exactly: 1_795_694_400_000))
    #expect(
      Seasons.instants(before: now).map(\.iso8601Text) == [
        "2026-01-15T12:00:00.123Z", "2026-03-08T02:30:00.123Z", "2026-03-08T07:30:00.123Z", "2026-03-08T09:30:00.123Z",
        "2026-03-29T00:30:00.123Z", "2026-03-29T01:30:00.123Z", "2026-03-29T02:30:00.123Z", "2026-07-15T12:00:00.123Z",
        "2026-10-25T00:30:00.123Z", "2026-10-25T01:30:00.123Z", "2026-11-01T05:30:00.123Z", "2026-11-01T06:30:00.123Z",
        "2026-11-01T07:30:00.123Z", "2026-11-01T08:30:00.123Z", "2026-11-01T09:30:00.123Z",
      ])
  }
}
