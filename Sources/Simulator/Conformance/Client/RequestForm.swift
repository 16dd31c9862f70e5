import Base
import Contract
import Scenario

/// The form of the requests of the dialect's app, and the number of records per request. No clause sends what
/// such an app never sends.
struct RequestForm: Sendable {
  /// Nil where the app does not define it: an update may change it (SDK §8.2).
  let batchSync: Bool?
  /// The maximum number of records in a batch; nil without a limit (SDK §8.4).
  let limit: Int?

  init(_ dialect: Dialect) {
    let drafts = [false, true].map { isBatch in
      var draft = Configuration(platform: .ios)
      draft.http.batchSync = isBatch
      _ = draft.apply(dialect.app.document)
      return draft.http
    }
    batchSync = drafts[0].batchSync == drafts[1].batchSync ? drafts[0].batchSync : nil
    limit = drafts[0].maxBatchSize > 0 ? drafts[0].maxBatchSize : nil
  }

  /// Limits a clause's changes to this form.
  func hold(_ draft: inout Configuration) {
    if let batchSync { draft.http.batchSync = batchSync }
    guard let limit else { return }
    let asked = draft.http.maxBatchSize
    draft.http.maxBatchSize = asked > 0 ? min(asked, limit) : limit
  }
}

/// The requirements of clauses on the form.
extension ClauseRun {
  /// Requires batches with `count` records in one request.
  func needBatches(of count: Int = 2) throws {
    guard facts.takesBatches else {
      throw ClauseStop.notApplicable(
        facts.form.batchSync == false
          ? "the app of the dialect sends one record at a time (app.http.batchSync: false)"
          : "the dialect takes one record at a time")
    }
    if facts.recordsMax < count {
      throw ClauseStop.notApplicable(
        "the app of the dialect sends \(facts.recordsMax.of("record")) in a request at most (app.http.maxBatchSize)")
    }
  }

  func needSingles() throws {
    if facts.takesSingles { return }
    throw ClauseStop.notApplicable(
      "the app of the dialect sends arrays, also of one record (app.http.batchSync: true)")
  }
}

extension RunFacts {
  /// Whether the app may send a record outside a list (SDK §8.2).
  var takesSingles: Bool { form.batchSync != true || !takesBatches }

  /// The values of batchSync that the app uses.
  var forms: [Bool] { (takesSingles ? [false] : []) + (takesBatches ? [true] : []) }

  /// The maximum number of records in one request.
  var recordsMax: Int { takesBatches ? form.limit ?? .max : 1 }
}
