import BackendStore
import Base
import Scenario
import Threads

/// A list may come out of a cache, or from a replica that is behind: what a clause did not find in it is looked for once more before
/// the verdict keeps other clauses from being judged, and when all have been. What is there then was not lost.
extension ConformanceRun {
  private static let timeToLookAgain = Nanoseconds.seconds(5)
  private static let timeBetweenLooks = 200

  /// Until all of it is there, for `patience` at most.
  func lookAgain(for patience: Nanoseconds = .zero) {
    let clock = SystemClock()
    let end = clock.monotonicNow + patience
    while lookOnce(), clock.monotonicNow < end, !wasInterrupted, !isOutOfTime {
      _ = Semaphore().wait(milliseconds: ConformanceRun.timeBetweenLooks)
    }
  }

  /// False where nothing is missing any more.
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
    "let the list be read past its cache, or from the database that is written to, or say with verify.readDelay how late it may be"

  /// Looks at the end of a run for what a store had twice: one that has it once then merges its rows later. Where one does, what is
  /// still there twice is waited for.
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
          "the store could not be read: what was sent again was in the list twice, and is there once at the end of the run: say with verify.readDelay how long the store takes to merge it"
        )
        replace(result)
        end = start + ClauseRun.timeToAppear
      }
      if clock.monotonicNow >= end || wasInterrupted || isOutOfTime { return }
      if isLeft { _ = Semaphore().wait(milliseconds: ConformanceRun.timeBetweenLooks) }
    }
  }

  /// The bounds of how late it was.
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

  /// How all of the records are seen now, as the end of a sentence; nil where they are not.
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
