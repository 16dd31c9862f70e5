import BackendStore
import Contract
import Scenario
import Threads

/// A store that is read over HTTP.
struct QueriedStore: StoreView {
  let url: String
  let headers: [Named<String>]
  let records: String
  let next: [JSONStep]?
  let fields: [Named<[JSONStep]>]
  let client: ConformanceClient
  /// Some question was answered with a list: what is not there from then on is absent, and no mistake in the URL.
  let hasAnswered = AtomicFlag()

  var place: String { url }

  func read(_ device: String, _ take: (StoredRecord) -> Void) throws(StoreProblem) {
    let placeholders = DevicePlaceholders(named: device, seed: 0)
    let headers = headers.map { NameValuePair($0.name, placeholders.fill($0.value)) }
    let records = ListedRecords(records, fields: fields)
    do throws(StoreProblem) {
      try PagedList(url, next: next).read(device) {
        client.ask($0, headers: headers)
      } _: {
        (page) throws(StoreProblem) in
        let mark = try records.read(page, take)
        hasAnswered.raise()
        return mark
      }
    } catch {
      // A device without records may have no list either.
      guard error.isAbsence else { throw error }
      guard hasAnswered.isRaised else {
        throw StoreProblem(text: "\(error.text), and no list has come from there: is the path right?", isAbsence: true)
      }
    }
  }
}
