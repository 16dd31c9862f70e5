import Scenario
import Testing
import Threaded

@testable import Conformance

/// Where a list ends, and what that says of the records that it lacks.
@Suite(.waits) struct ListEndTests {
  private static func verdicts(_ summary: ConformanceSummary) -> String {
    summary.results.map { "\($0.clause.id): \($0.verdict)" }.joined(separator: "\n")
  }

  /// A next page that the dialect does not lead to: what is missing may be there.
  @Test(arguments: [
    (true, "", "the answer has \"paging.next\": \"100\""), (false, "", "the answer has \"next\": \"100\""),
    (true, #"next: "$.pagin.next""#, "verify.next matches nothing in it, and the answer has \"paging.next\": \"100\""),
  ])
  func aNextPageThatIsNotFollowedIsNamed(isNested: Bool, verify: String, cause: String) throws {
    var rules = FormBackend.Rules()
    (rules.page, rules.isNextNested) = (100, isNested)
    let summary = try FormBackend(rules).summary(
      of: ["batch-all-stored", "store-reads-all"], dialect: FormBackend.dialect(verify: verify))
    #expect(summary.outcome == .storeUnread && summary.broken.isEmpty, "\(Self.verdicts(summary))")
    let reasons = summary.results.compactMap { if case .unread(let reason) = $0.verdict { reason } else { nil } }
    #expect(reasons.contains { $0.contains(cause) }, "\(Self.verdicts(summary))")
  }

  private static let template =
    #"locationTemplate: '{"uuid":"<%= uuid %>","timestamp":"<%= timestamp %>","coords":{"latitude":<%= latitude %>,"longitude":<%= longitude %>}}'"#

  /// A list that was read to its end has nothing behind it.
  @Test(arguments: [(true, ""), (false, ""), (false, template)])
  func whatIsNotInAListThatNamesItsEndIsLost(isNested: Bool, persistence: String) throws {
    var rules = FormBackend.Rules()
    (rules.page, rules.isNextNested) = (50, isNested)
    let dialect = FormBackend.dialect(
      persistence: persistence, verify: isNested ? #"next: "$.paging.next""# : #"next: "$.next""#)
    let right = try FormBackend(rules).summary(of: ["batch-250", "store-reads-all"], dialect: dialect)
    #expect(right.outcome == .allKept && right.kept.count == 2, "\(Self.verdicts(right))")
    rules.keeps = 100
    let summary = try FormBackend(rules).summary(of: ["batch-250"], dialect: dialect)
    #expect(summary.broken.first?.breach?.harm == .lose, "\(Self.verdicts(summary))")
  }

  /// What a cache in front of the list hides is not lost.
  @Test func whatIsThereUnderAnotherURLWasNotLost() throws {
    var rules = FormBackend.Rules()
    rules.cachesLists = true
    let clauses: Set<String> = ["late-behind-newer", "resend-acknowledged-again"]
    let summary = try FormBackend(rules).summary(of: clauses, dialect: FormBackend.dialect())
    #expect(summary.broken.isEmpty && summary.outcome == .storeUnread, "\(Self.verdicts(summary))")
    #expect(Self.verdicts(summary).contains("the list comes out of a cache"), "\(Self.verdicts(summary))")
  }

  /// Pages that begin behind a time leave out the records of that time which the page before had no room for.
  @Test(arguments: [20, 57, 76, 100, 117, 200]) func pagesThatPartATimeAreSeen(page: Int) throws {
    var rules = FormBackend.Rules()
    rules.page = page
    let dialect = FormBackend.dialect(verify: #"next: "$.next""#)
    let right = try FormBackend(rules).summary(of: ["store-reads-all"], dialect: dialect)
    #expect(right.outcome == .allKept, "\(Self.verdicts(right))")
    rules.pagesByTime = true
    let summary = try FormBackend(rules).summary(of: ["store-reads-all"], dialect: dialect)
    #expect(summary.broken.map(\.clause.id) == ["store-reads-all"], "\(page): \(Self.verdicts(summary))")
  }

  /// Whatever the size of a page up to a thousand, one ends within a group of records of one time, from either end of the list.
  @Test(arguments: [false, true]) func eachSizeOfAPagePartsAGroup(isFromTheEnd: Bool) {
    let half = ConformanceClause.groupsMax
    var (places, count) = (Set([0]), 0)
    for size in Array(repeating: 3, count: half) + [4] + Array(repeating: 3, count: half) {
      count += size
      places.insert(count)
    }
    for page in 1...1_000 {
      let ends = stride(from: page, to: count, by: page).map { isFromTheEnd ? count - $0 : $0 }
      #expect(ends.contains { !places.contains($0) }, "\(page)")
    }
  }
}
