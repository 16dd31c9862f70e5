import BackendStore
import Contract
import Scenario
import Synchronization
import Threads

/// A store that is read over HTTP.
final class QueriedStore: StoreView {
  let place: String
  private let headers: [Named<String>]
  private let records: ListedRecords
  private let list: PagedList
  private let client: ConformanceClient
  /// Some question was answered with a list: what is not there from then on is absent, and no mistake in the URL.
  private let hasAnswered = AtomicFlag()
  /// By device, where a list has an end that does not look like one.
  private let unread = Mutex<[String: String]>([:])

  init(
    _ url: String, headers: [Named<String>], records: String, next: [JSONStep]?, fields: [Named<[JSONStep]>],
    client: ConformanceClient
  ) {
    (place, self.headers, self.client) = (url, headers, client)
    self.records = ListedRecords(records, fields: fields)
    list = PagedList(url, next: next)
  }

  func unreadPages(of device: String) -> String? { unread.withLock { $0[device] } }

  func read(_ device: String, _ take: (StoredRecord) -> Void) throws(StoreProblem) {
    let placeholders = DevicePlaceholders(named: device, seed: 0)
    let headers = headers.map { NameValuePair($0.name, placeholders.fill($0.value)) }
    do throws(StoreProblem) {
      let unread = try list.read(device) {
        client.ask($0, headers: headers)
      } _: {
        (page) throws(StoreProblem) in
        let mark = try records.read(page, take)
        hasAnswered.raise()
        return mark
      }
      self.unread.withLock { $0[device] = unread }
    } catch {
      // A device without records may have no list either.
      guard error.isAbsence else { throw error }
      guard hasAnswered.isRaised else {
        throw StoreProblem(text: "\(error.text), and no list has come from there: is the path right?", isAbsence: true)
      }
    }
  }
}
