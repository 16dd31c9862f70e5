import Base
import Testing

@testable import Conformance

/// The table of clauses by itself.
@Suite struct ClauseTableTests {
  private static let all = ConformanceClause.all

  @Test func thereAreEnoughAndEachHasItsOwnName() {
    #expect(Self.all.count >= 70)
    #expect(Set(Self.all.map(\.id)).count == Self.all.count)
    for clause in Self.all {
      #expect(clause.id.allSatisfy { $0.isLowercase || $0.isNumber || $0 == "-" }, "\(clause.id)")
      #expect(!clause.sentence.hasSuffix(".") && !clause.reason.hasSuffix("."), "\(clause.id)")
    }
  }

  /// A finding names one cause, so that no clause may presume itself by way of others.
  @Test func whatAClausePresumesIsThereAndIsNoCircle() {
    var presumed: [String: [String]] = [:]
    for clause in Self.all { presumed[clause.id] = clause.presumes }
    for clause in Self.all {
      for name in clause.presumes { #expect(presumed[name] != nil, "\(clause.id) presumes '\(name)'") }
      var seen: Set<String> = []
      var waiting = clause.presumes
      while let next = waiting.popLast() {
        #expect(next != clause.id, "\(clause.id) presumes itself")
        if seen.insert(next).inserted { waiting += presumed[next] ?? [] }
      }
    }
  }

  @Test func everyThreadHasAnAddress() {
    for clause in Self.all {
      for thread in clause.threads {
        #expect(ConformanceClause.address(ofThread: thread)?.hasPrefix("https://github.com/") ?? false, "\(thread)")
      }
    }
  }

  @Test func theListNamesThemAll() {
    let list = ConformanceList(ConformanceRun.Settings(seed: 1, start: .earliest)).text
    for clause in Self.all { #expect(list.contains("  \(clause.id)  ")) }
  }
}
