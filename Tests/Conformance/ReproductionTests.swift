import Base
import Scenario
import Testing
import Threaded

@testable import Conformance

/// The scenario of a finding: it asks the store as the clause did, and shows no secret.
@Suite(.waits) struct ReproductionTests {
  private func files(_ verification: DialectVerification, requests: [UInt8]?) throws -> [(name: String, text: String)] {
    let clause = try #require(ConformanceClause.all.first { $0.id == "batch-250" })
    var breach = Breach(cause: "${NOTHING} was stored", harm: .lose)
    breach.requests = requests
    let result = ClauseResult(clause: clause, verdict: .broken(breach), seconds: 1)
    var summary = ConformanceSummary(
      [result], target: "http://127.0.0.1:1/points", store: nil, seed: 1, start: WallInstant(millisecondsSince1970: 0),
      seconds: 1)
    summary.dialect.verification = verification
    return ConformanceFiles(summary).all
  }

  private func scenario(_ verification: DialectVerification) throws -> (text: String, target: Target) {
    let text = try #require(
      try files(verification, requests: Array(#"{"path":"/points"}"#.utf8)).first { $0.name == "again/batch-250.json5" }
    )
    .text
    let reader = ScenarioReader(overrides: [], variable: { $0 == "VERIFY_AUTHORIZATION" ? "Bearer r" : nil })
    return (text, try reader.read(text).scenario.target)
  }

  @Test func aStoreOverHTTPIsAskedTheSame() throws {
    var verification = DialectVerification()
    verification.url = "/list?device={device}&q=${x}"
    verification.headers = [
      Named(name: "Authorization", value: "Bearer word"), Named(name: "X-Device", value: "${device.id} ${x}"),
    ]
    (verification.records, verification.next) = ("$.rows[*]", "$.next")
    verification.fields = [Named(name: "extras", value: "$.more")]
    verification.readDelay = .milliseconds(250)
    let (text, target) = try scenario(verification)
    #expect(!text.contains("word"))
    let read = target.verification
    #expect(read.url == verification.url && read.uuids == "$.rows[*]" && read.next == "$.next")
    #expect(read.headers["Authorization"] == "Bearer r" && read.headers["X-Device"] == "${device.id} ${x}")
    #expect(read.fields["extras"] == "$.more" && read.readDelay == .milliseconds(250))
  }

  @Test func aDatabaseShowsNoPassword() throws {
    var verification = DialectVerification()
    verification.place.database = "postgresql://reader:word@127.0.0.1:1/points?sslpassword=word"
    verification.place.query = "SELECT '${x}' WHERE :device = ''"
    let (text, target) = try scenario(verification)
    #expect(!text.contains("word"))
    #expect(target.verification.place.database == "postgresql://reader@127.0.0.1:1/points")
    #expect(target.verification.place.query == verification.place.query && target.verification.contradiction == nil)
  }

  @Test func partsOfRequestsAreNoScenario() throws {
    let files = try files(DialectVerification(), requests: nil)
    #expect(!files.contains { $0.name.hasSuffix(".json5") })
    #expect(files.first { $0.name == "report.md" }?.text.contains("A scenario cannot express this clause") == true)
  }

  @Test(arguments: [
    (ScriptedBackend.Defect.storesRepeats, "resend-after-cut-answer", false), (.firstOfBatch, "batch-all-stored", true),
  ])
  func aClauseThatSendsPartsIsNotWrittenDown(defect: ScriptedBackend.Defect, clause: String, isWritten: Bool) throws {
    let verdict = try ScriptedBackend(defect).verdict(on: clause)
    guard case .broken(let breach)? = verdict else {
      Issue.record("\(clause): \(String(describing: verdict))")
      return
    }
    #expect((breach.requests != nil) == isWritten)
  }
}
