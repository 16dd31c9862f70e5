import Base
import Contract
import Scenario

/// What the app of the dialect says of its requests: in which form they are, and how many records one has. No clause sends what such an
/// app never sends.
struct RequestForm: Sendable {
  /// Nil where the app does not say it: an update may switch it (SDK §8.2).
  let batchSync: Bool?
  /// In one request of a batch; nil without a limit (SDK §8.4).
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

  /// What a clause has changed does not go beyond it.
  func hold(_ draft: inout Configuration) {
    if let batchSync { draft.http.batchSync = batchSync }
    guard let limit else { return }
    let asked = draft.http.maxBatchSize
    draft.http.maxBatchSize = asked > 0 ? min(asked, limit) : limit
  }
}

/// What clauses ask of the form.
extension ClauseRun {
  /// With so many records in one request.
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
  /// The app may send a record that is no list (SDK §8.2).
  var takesSingles: Bool { form.batchSync != true || !takesBatches }

  /// With batchSync and without it, as far as the app sends so.
  var forms: [Bool] { (takesSingles ? [false] : []) + (takesBatches ? [true] : []) }

  /// So many records one request has at most.
  var recordsMax: Int { takesBatches ? form.limit ?? .max : 1 }
}
