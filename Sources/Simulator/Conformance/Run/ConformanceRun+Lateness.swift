import BackendStore
import Base
import Scenario
import Threads

/// A list may come from a cache, or from a replica that lags behind. Records that a clause did not find are looked up again, before
/// the verdict keeps other clauses from being judged and after all have been. A record that is found then was not lost.
extension ConformanceRun {
  private static let timeToLookAgain = Nanoseconds.seconds(5)
  private static let timeBetweenLooks = 200

  /// Looks up missing records until all are found, for `patience` at most.
  func lookAgain(for patience: Nanoseconds = .zero) {
    let clock = SystemClock()
    let end = clock.monotonicNow + patience
    while lookOnce(), clock.monotonicNow < end, !wasInterrupted, !isOutOfTime {
      _ = Semaphore().wait(milliseconds: ConformanceRun.timeBetweenLooks)
    }
  }

  /// Returns false when nothing is missing any more.
  private func lookOnce() -> Bool {
    let end = SystemClock().monotonicNow + ConformanceRun.timeToLookAgain
    var isMissing = false
    for clause in ConformanceClause.all where SystemClock().monotonicNow < end {
      guard var result = result(of: clause), let breach = result.breach, !breach.isLasting,
        let last = breach.missing.last
      else { continue }
      guard let sight = sight(of: breach.missing) else {
        isMissing = true
        continue
      }
      let words = "what was acknowledged was not in the list \(ConformanceRun.times(of: last, sight))"
      if clause.id == "readable-when-acknowledged" {
        var late = breach
        (late.cause, late.harm, late.missing) = (words, clause.harm, [])
        late.signs.remove(.loss)
        late.remedy = ConformanceRun.remedyOfLateLists
        result.verdict = .broken(late)
      } else {
        result.verdict = .unread("the store could not be read: \(words): \(ConformanceRun.remedyOfLateLists)")
      }
      replace(result)
      dropSample(of: clause.id)
    }
    return isMissing
  }

  private static let remedyOfLateLists =
    "read the list past its cache, or from the primary database, or set verify.readDelay to the delay that is allowed"

  /// Looks up, at the end of a run, records that a store had twice: if one is there once, the store merges its rows later, and the
  /// others get time to be merged, too.
  func lookForMerged() {
    let clock = SystemClock()
    let start = clock.monotonicNow
    var (isLeft, end) = (true, start)
    while isLeft {
      isLeft = false
      for clause in ConformanceClause.all where clock.monotonicNow < start + ClauseRun.timeToAppear {
        guard var result = result(of: clause), let breach = result.breach, !breach.isLasting,
          !breach.repeated.isEmpty, let store = target.store
        else { continue }
        guard breach.repeated.allSatisfy({ isOnce($0, in: store) }) else {
          isLeft = true
          continue
        }
        result.verdict = .unread(
          "the store could not be read: a record that was sent again was listed twice, and once at the end of the run: set verify.readDelay to the time that the store takes to merge records"
        )
        replace(result)
        end = start + ClauseRun.timeToAppear
      }
      if clock.monotonicNow >= end || wasInterrupted || isOutOfTime { return }
      if isLeft { _ = Semaphore().wait(milliseconds: ConformanceRun.timeBetweenLooks) }
    }
  }

  /// Returns how late the records were, as two bounds.
  private static func times(of missing: SoughtRecords, _ sight: String) -> String {
    func seconds(since instant: MonotonicInstant, until other: MonotonicInstant) -> String {
      "\(((other - instant).seconds * 10).rounded() / 10) s"
    }
    let now = SystemClock().monotonicNow
    guard let answered = missing.answered else {
      return "when it was looked for, and is there \(seconds(since: missing.looked, until: now)) later\(sight)"
    }
    return
      "\(seconds(since: answered, until: missing.looked)) after its answer, and is there \(seconds(since: answered, until: now)) after it\(sight)"
  }

  /// Returns how all of the records are visible now, as the end of a sentence; nil when they are not.
  private func sight(of missing: [SoughtRecords]) -> String? {
    if let store = target.store, missing.allSatisfy({ shows($0, in: store) }) { return "" }
    if let store = target.storePastCaches, missing.allSatisfy({ shows($0, in: store) }) {
      return " when the question has another parameter: the list comes out of a cache"
    }
    return nil
  }

  private func shows(_ missing: SoughtRecords, in store: any StoreView) -> Bool {
    do throws(StoreViewError) {
      let listed = try store.records(of: missing.device, mayBeNameless: true).compactMap(\.uuid)
      return missing.uuids.isSubset(of: listed)
    } catch { return false }
  }

  private func isOnce(_ repeated: SoughtRecords, in store: any StoreView) -> Bool {
    do throws(StoreViewError) {
      return try store.records(of: repeated.device, mayBeNameless: true).haveOnce(Array(repeated.uuids))
    } catch { return false }
  }
}
