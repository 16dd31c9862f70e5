import Base
import Testing
import Threaded

@testable import BackendStore
@testable import Conformance

/// A finding about a few records, or some devices, names what they have in common (docs/conform.md).
@Suite(.waits) struct PartialLossTests {
  /// What a list leaves out of each page is missing in other clauses, too.
  @Test func aListThatLeavesOutRowsIsOneFinding() throws {
    let clauses: Set<String> = ["store-reads-all", "many-devices-at-once", "keep-alive", "two-records-at-once"]
    let summary = try ScriptedBackend(nil, listing: .skipsRows).summary(of: clauses)
    #expect(summary.broken.count > 1, "\(summary.results.map { ($0.clause.id, $0.verdict) })")
    #expect(
      summary.causes.map(\.clause.id) == ["store-reads-all"],
      "\(summary.broken.map { ($0.clause.id, $0.cause ?? "") })")
  }

  /// Its list is missing, as that of a device without records, and not unreadable: that of another one has come.
  @Test func aMissingListIsALossWhereAnotherOneIsThere() throws {
    let summary = try ScriptedBackend(.dropsLongNames, listing: .isMissingWhileEmpty).summary(
      of: ["stored-when-acknowledged"])
    #expect(summary.causes.map(\.clause.id) == ["stored-when-acknowledged"])
    #expect(
      summary.broken.first?.breach?.cause == "the record was acknowledged and is not stored",
      "\(summary.results.map { ($0.clause.id, $0.verdict) })")
  }

  @Test func aNameThatIsCutIsTold() throws {
    // A list that wants a device is asked for parts of the name.
    let breach = try ScriptedBackend(.cutsLongNames, listing: .needsADevice).summary(of: ["right-device"]).broken.first?
      .breach
    #expect(breach?.cause.contains(", the first 48 bytes of its name") ?? false, "\(breach?.cause ?? "")")
  }
}
