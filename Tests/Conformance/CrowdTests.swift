import Base
import Scenario
import Testing
import Threaded

@testable import Conformance

/// Clauses of many devices look at each of them, or say that they have not.
@Suite(.waits) struct CrowdTests {
  private static let clauses: Set<String> = ["many-devices-at-once", "hundred-at-once", "good-beside-bad"]

  /// One long look says nothing of the others.
  @Test(arguments: clauses.sorted()) func theLossOfOneDeviceIsSeen(clause: String) throws {
    let right = try ScriptedBackend(nil, listing: .isSlowOnce).verdict(on: clause)
    #expect(right?.word == "kept", "\(String(describing: right))")
    let verdict = try ScriptedBackend(.losesOneOfACrowd, listing: .isSlowOnce).verdict(on: clause)
    #expect(verdict?.word == "broken", "\(String(describing: verdict))")
  }

  @Test func whatWasLookedAtInPartIsNotCalledKept() throws {
    let summary = try ScriptedBackend(nil, listing: .isSlow).summary(
      of: ["hundred-at-once", "batch-all-stored"], timeForDevices: .milliseconds(300))
    #expect(summary.outcome == .allKept && summary.badge == "1 of 1; looked at in part: hundred-at-once")
    let text = ConformanceText(summary, width: 200, hasColours: false).text
    #expect(text.contains("! 1 of 1 clauses kept; looked at in part: hundred-at-once; 1 not judged"), "\(text)")
    #expect(text.contains("not judged: the store takes so long that it was asked for"), "\(text)")
  }

  /// Most clauses look at a few records: what thousands take says nothing of that.
  @Test func aLongListIsNoSlowStore() throws {
    let target = ConformanceTarget(
      "http://127.0.0.1:1", try DialectReader().read(ScriptedBackend.dialect), adminToken: nil)
    let facts = RunFacts(target)
    facts.noteStoreRead(of: 5_000, in: .seconds(2))
    #expect(!facts.isStoreSlow)
    facts.noteStoreRead(of: 10, in: .milliseconds(450))
    #expect(facts.isStoreSlow)
  }

  @Test(arguments: [0, 1, 3, 4, 30, 100]) func eachDeviceHasItsTurnOnce(count: Int) {
    let indices = ClauseRun.spread(count)
    #expect(indices.sorted() == Array(0..<count))
    if count == 100 { #expect(indices.prefix(5) == [0, 25, 50, 75, 12]) }
  }
}
