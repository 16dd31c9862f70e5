import AnswerCheck
import Base
import Scenario
import Testing
import Threaded
import Upload

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
    #expect(summary.outcome == .allKept && summary.badge == "1 of 1; checked in part: hundred-at-once")
    let text = ConformanceText(summary, width: 200, hasColours: false).text
    #expect(text.contains("! 1 of 1 clauses kept; checked in part: hundred-at-once; 1 not judged"), "\(text)")
    #expect(text.contains("not judged: the store takes so long that it was asked for"), "\(text)")
  }

  /// "A clause that was not checked is never reported as kept" (docs/conform.md): one that was checked without a field says so.
  @Test func aFieldThatTheStoreDoesNotShowIsNamedAtTheEnd() throws {
    let results = ConformanceClause.all.filter { $0.id.hasPrefix("event-") }.map {
      ClauseResult(
        clause: $0, verdict: .kept("", unshown: $0.id == "event-geofence" ? nil : "event"), seconds: 1)
    }
    let summary = ConformanceSummary(
      results, target: "", store: nil, seed: 1, start: WallInstant(millisecondsSince1970: 0), seconds: 0)
    let text = ConformanceText(summary, width: 120, hasColours: false).text
      .split(whereSeparator: \.isWhitespace).joined(separator: " ")
    let names = "event-motionchange, event-heartbeat, event-providerchange"
    #expect(text.contains("the store shows no 'event': \(names) were judged without it"), "\(text)")
  }

  @Test func whereNothingIsBehindAProxyTheRemedySaysSo() throws {
    let summary = try ScriptedBackend(.hasNoUpstream).summary(of: ["good-record-acknowledged"])
    let remedy = summary.broken.first?.breach?.remedy ?? ""
    #expect(remedy.contains("the server behind it does not answer"), "\(remedy)")
  }

  /// Phones cannot know that it is a limit.
  @Test func aBackendThatIsBusyToTheEndIsNamed() throws {
    let target = ConformanceTarget(
      "http://127.0.0.1:1", try DialectReader().read(ScriptedBackend.dialect), adminToken: nil)
    let clause = try #require(ConformanceClause.all.first { $0.id == "many-devices-at-once" })
    let run = ClauseRun(
      clause, target, ConformanceRun.Settings(seed: 1, start: SystemClock().wallNow), facts: RunFacts(target),
      watch: AnswerWatch())
    let request = OutgoingRequest(
      id: 1, purpose: .log, method: "POST", url: "http://127.0.0.1:1/", headers: [], body: [], timeout: .seconds(1))
    let upload = ConformancePhone.Upload(
      request: request, outcome: .answered(status: 503, reason: "", body: Array("full".utf8)), head: AnswerHead(),
      duration: .zero)
    guard case .broken(let breach) = run.refusedToTheEnd([upload, upload], of: 5, "'a' still has 3 records") else {
      Issue.record("no breach")
      return
    }
    #expect(
      breach.cause == "2 of 5 uploads were answered with status 503 without Retry-After: 'a' still has 3 records")
    #expect(
      breach.answered == "status 503: full" && breach.remedy.contains("503 with Retry-After")
        && breach.reproduction == nil)
  }

  /// The finding shows what came back (docs/conform.md), and how a limit is told from a failure.
  @Test func theAnswerThatAHundredUploadsGotIsNamed() throws {
    let verdict = try ScriptedBackend(.refusesOneOfACrowd).verdict(on: "hundred-at-once")
    guard case .broken(let breach)? = verdict else {
      Issue.record("not broken: \(String(describing: verdict))")
      return
    }
    #expect(breach.cause.contains("were answered with status 503 without Retry-After"), "\(breach.cause)")
    #expect(breach.answered.contains("status 503") && breach.remedy.contains("503 with Retry-After"))
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
