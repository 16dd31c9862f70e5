import BackendStore
import Base
import Scenario

/// A list may come out of a cache, or from a replica that is behind: what a clause did not find in it is looked for once more when
/// all have been judged. What is there then was not lost.
extension ConformanceRun {
  private static let timeToLookAgain = Nanoseconds.seconds(5)

  func lookAgain() {
    let end = SystemClock().monotonicNow + ConformanceRun.timeToLookAgain
    for clause in ConformanceClause.all where SystemClock().monotonicNow < end {
      guard var result = result(of: clause), let breach = result.breach, let missing = breach.missing,
        let sight = sight(of: missing)
      else { continue }
      let words = "what was acknowledged was not in the list when it was looked for, and \(sight)"
      if clause.id == "readable-when-acknowledged" {
        var late = breach
        (late.cause, late.harm, late.missing) = (words, clause.harm, nil)
        late.signs.remove(.loss)
        late.remedy = ConformanceRun.remedyOfLateLists
        result.verdict = .broken(late)
      } else {
        result.verdict = .unread("the store could not be read: \(words): \(ConformanceRun.remedyOfLateLists)")
      }
      replace(result)
    }
  }

  private static let remedyOfLateLists =
    "let the list be read past its cache, or from the database that is written to, or say with verify.readDelay how late it may be"

  /// How all of the records are seen now; nil where they are not.
  private func sight(of missing: MissingRecords) -> String? {
    if let store = target.store, shows(missing, in: store) { return "is there at the end of the run" }
    if let store = target.storePastCaches, shows(missing, in: store) {
      return "is there when the question has another parameter: the list comes out of a cache"
    }
    return nil
  }

  private func shows(_ missing: MissingRecords, in store: any StoreView) -> Bool {
    do throws(StoreViewError) {
      let listed = try store.records(of: missing.device, mayBeNameless: true).compactMap(\.uuid)
      return missing.uuids.isSubset(of: listed)
    } catch { return false }
  }
}
