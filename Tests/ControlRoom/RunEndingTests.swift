import FleetSimulator
import Oracle
import Reports
import Scenario
import Support
import Testing

/// What a run says of itself that a person ends, and one that goes on (docs/control-room.md).
@Suite struct RunEndingTests {
  /// Phones that upload nothing until there are many records: some wait at any time.
  private static let waiting = """
    { version: 1, name: "small", seed: 1, clock: { duration: "30d", settle: "5m" },
      sdk: { config: { http: { autoSyncThreshold: 40, batchSync: true } } },
      fleets: { cars: { devices: 4, motion: "driving", network: "lte" } } }
    """

  /// Nothing is judged that needs the end of a run: the exit code is 105.
  @Test func anAbortedRunIsNotViolated() throws {
    let stage = try RoomStage(Self.waiting, isHeld: false)
    defer { stage.stop() }
    try RoomListener(stage).read(until: "\"errors\":")
    #expect(try stage.post(#"{"abort":{}}"#).status == 200)
    let summary = try stage.finish()
    #expect(summary.result == .stopped && summary.ending == .aborted)
    #expect(summary.violations == [] && summary.ledger.isBalanced, "\(summary.ledger)")
    let text = SummaryText(summary, isColoured: false, width: nil).text
    #expect(text.hasPrefix("small aborted") && text.contains("aborted after ") && !text.contains("violated"), "\(text)")
  }

  @Test func aStoppedRunSaysHowLongItDrove() throws {
    let stage = try RoomStage(Self.waiting, isHeld: false)
    defer { stage.stop() }
    try RoomListener(stage).read(until: "\"errors\":")
    #expect(try stage.post(#"{"stop":{}}"#).status == 200)
    let summary = try stage.finish()
    #expect(summary.ending == .stopped)
    #expect(summary.drives < summary.duration && summary.drives <= summary.ended)
    let text = SummaryText(summary, isColoured: false, width: nil).text
    #expect(text.contains("stopped by hand before the planned 30d"), "\(text)")
    #expect(!text.contains("for 30d of"), "\(text)")
  }

  @Test func aRunThatGoesOnHasNoVerdictYet() throws {
    let stage = try RoomStage(Self.waiting)
    defer { stage.stop() }
    try stage.waitForView()
    let page = try stage.get("/run/v1/report").text
    #expect(page.contains("Still running"), "\(page.prefix(2_000))")
    #expect(!page.contains("Violated") && !page.contains("Passed"))
  }
}
