import AnswerCheck
import BackendStore
import Base
import Contract
import Scenario
import Threads
import Upload

/// A store that is read over HTTP.
final class QueriedStore: StoreView {
  let place: String
  private let headers: [Named<String>]
  private let records: ListedRecords
  private let list: PagedList
  private let next: [JSONStep]?
  private let fields: [Named<[JSONStep]>]
  private let path: String
  private let client: ConformanceClient
  /// A request was answered with a list; from then on a 404 means absence and not a mistake in the URL.
  private let hasAnswered = AtomicFlag()

  init(
    _ url: String, headers: [Named<String>], records: String, next: [JSONStep]?, fields: [Named<[JSONStep]>],
    client: ConformanceClient
  ) {
    (place, self.headers, self.client) = (url, headers, client)
    (path, self.next, self.fields) = (records, next, fields)
    self.records = ListedRecords(records, fields: fields)
    list = PagedList(url, next: next)
  }

  /// The same list under a URL that no cache has seen. Servers ignore unknown query parameters.
  var pastCaches: QueriedStore {
    let mark = "rollingroad=\(SystemClock().wallNow.millisecondsSince1970)"
    return QueriedStore(
      place + (place.contains("?") ? "&" : "?") + mark, headers: headers, records: path, next: next, fields: fields,
      client: client)
  }

  private func noTime(_ reason: String = "") -> (outcome: RequestOutcome, head: AnswerHead) {
    let end = client.end.wasInterrupted ? "the run was interrupted" : "the time of the run was over (--time-limit)"
    return (.failed(.timeout, message: reason + end), AnswerHead())
  }

  /// The most refusals of a page, one after the other, that say when to come again.
  private static let refusalsMax = 5

  /// Asks for a page, again when the server says.
  private func ask(_ page: String, _ headers: [NameValuePair]) -> (outcome: RequestOutcome, head: AnswerHead) {
    var refusals = 0
    while true {
      // A list of many pages takes its time.
      if client.end.isOver { return noTime() }
      guard client.limit.wait(in: client.end) else {
        return noTime("the list limits the rate (\(client.limit.words ?? "")), and before it may be read again ")
      }
      let answer = client.ask(page, headers: headers)
      refusals += 1
      guard client.limit.isNoted(answer.outcome, answer.head), refusals < QueriedStore.refusalsMax else {
        return answer
      }
    }
  }

  private func headers(for device: String) -> [NameValuePair] {
    let placeholders = DevicePlaceholders(named: device, seed: 0)
    return headers.map { NameValuePair($0.name, placeholders.fill($0.value)) }
  }

  func listCommand(for device: String) -> String? {
    RawRequest("GET", list.firstPage(of: device), headers: headers(for: device))
      .curl(by: client.transport, printing: .content, secretsOf: .verify)
  }

  func read(_ device: String, _ take: (StoredRecord) -> Void) throws(StoreViewError) -> ListEnd {
    let headers = headers(for: device)
    do throws(StoreViewError) {
      return try list.read(device) {
        ask($0, headers)
      } _: {
        (page) throws(StoreViewError) in
        let mark = try records.read(page, take)
        hasAnswered.raise()
        return mark
      }
    } catch {
      // A device without records may have no list.
      guard error.isAbsence else { throw error }
      guard hasAnswered.isRaised else {
        throw StoreViewError(
          text: "\(error.text), and no list has come from there: is the path right?", isAbsence: true)
      }
      return ListEnd()
    }
  }
}
