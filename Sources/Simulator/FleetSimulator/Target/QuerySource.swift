import AnswerCheck
import BackendStore
import Base
import Contract
import Scenario
import Upload

/// Queries any server that can list the uuids of a device's records (`target.verify`), following its pages.
final class QuerySource: RecordSource {
  /// The query, with `{device}` as placeholder for a device's name.
  struct Question {
    let url: String
    /// The path to the records.
    let path: String
    /// The path to the cursor or the URL of the next page.
    var next: String?
    /// The URL of quarantined records, when they are not in the same answer, and the path to them.
    var quarantinedURL: String?
    var quarantinedPath: String?
    var fields: [Named<String>] = []
  }

  private let client: BlockingHTTPClient
  private let list: PagedList
  private let question: Question
  private let headers: [Named<String>]
  private let seed: UInt64
  private let deviceCount: Int
  /// Whether an answer had a list of quarantined records.
  private var hasListedQuarantine = false
  /// The seconds for which the server may make the reading wait by its limit of the rate.
  private var patience = 600

  var place: String { question.url }
  var showsQuarantine: Bool { question.quarantinedURL != nil || question.quarantinedPath != nil }

  /// The time limit for all devices together, and the addition for each.
  private static let (span, spanEach) = (Nanoseconds.seconds(20), Nanoseconds.milliseconds(20))
  /// The most refusals of a page, one after the other, that say when to come again.
  private static let refusalsMax = 20
  /// The extension for each page with new records.
  private static let spanEachPage = Nanoseconds.milliseconds(500)

  /// `headers` are those of a device's requests.
  init(_ client: BlockingHTTPClient, _ question: Question, headers: [Named<String>], seed: UInt64, deviceCount: Int) {
    self.client = client
    list = PagedList(question.url, next: question.next.map(JSONStep.steps))
    self.seed = seed
    self.question = question
    self.headers = headers
    self.deviceCount = deviceCount
  }

  func read(_ device: String, _ take: (StoredRecord) -> Void) throws(StoreViewError) -> ListEnd {
    client.limit(to: QuerySource.span + QuerySource.spanEach * Int64(deviceCount))
    let fields = question.fields.map { Named(name: $0.name, value: JSONStep.steps(of: $0.value)) }
    let records = ListedRecords(question.path, fields: fields)
    let quarantine = question.quarantinedPath.map { ListedRecords($0, fields: fields) }
    let isQuarantineApart = question.quarantinedURL != nil
    var quarantined: [UUID128] = []
    var seams = PageSeams()
    var end = try readPages(list, of: device) { (page) throws(StoreViewError) in
      var beside: [UUID128] = []
      // A server may leave an empty list out.
      if !isQuarantineApart, let quarantine, quarantine.leads(in: page) {
        hasListedQuarantine = true
        beside = try quarantine.identities(in: page)
      }
      quarantined += beside
      var mark = try records.read(page, &seams, take)
      mark.add(beside)
      return mark
    }
    seams.close(take)
    if let url = question.quarantinedURL {
      quarantined += try readQuarantine(at: url, (quarantine ?? records), of: device)
    }
    end.quarantined = quarantined
    if !hasListedQuarantine {
      end.unseenQuarantine =
        question.quarantinedURL.map { "'\($0)' (verify.quarantinedUrl) has no list" }
        ?? question.quarantinedPath.map { "\($0) (verify.quarantined) matches nothing in any answer" }
    }
    return end
  }

  /// Reads the quarantined records where they have a list of their own.
  private func readQuarantine(
    at url: String, _ records: ListedRecords, of device: String
  ) throws(StoreViewError) -> [UUID128] {
    var found: [UUID128] = []
    let list = PagedList(url, next: question.next.map(JSONStep.steps))
    do throws(StoreViewError) {
      _ = try readPages(list, of: device) { (page) throws(StoreViewError) in
        let apart = try records.identities(in: page)
        found += apart
        var mark = ListedMark()
        mark.add(apart)
        return mark
      }
      hasListedQuarantine = true
    } catch {
      // A device without quarantined records may have no list of them.
      guard error.isAbsence else { throw error }
    }
    return found
  }

  /// Asks for a page, and again when a server that limits the rate says that it may be.
  private func ask(_ page: String, _ fields: [NameValuePair]) -> RequestOutcome {
    var refusals = 0
    while true {
      let outcome = client.ask(page, headers: fields)
      refusals += 1
      let head = AnswerHead(parsing: client.head)
      guard let pause = outcome.pauseOfLimit(head, at: SystemClock().wallNow), refusals < QuerySource.refusalsMax,
        pause <= patience, client.wait(seconds: pause)
      else { return outcome }
      patience -= pause
    }
  }

  private func readPages(
    _ list: PagedList, of device: String, _ take: (StoredValue) throws(StoreViewError) -> ListedMark
  ) throws(StoreViewError) -> ListEnd {
    let placeholders = DevicePlaceholders(named: device, seed: seed)
    let fields = headers.map { NameValuePair($0.name, placeholders.fill($0.value)) }
    var bodies: Set<Int> = []
    return try list.read(device) { page in
      let outcome = ask(page, fields)
      if bodies.insert(outcome.body.hashValue).inserted { client.extendLimit(by: QuerySource.spanEachPage) }
      return (outcome, AnswerHead(parsing: client.head))
    } _: { (page) throws(StoreViewError) in
      try take(page)
    }
  }
}
