import AnswerCheck
import BackendStore
import Base
import Contract
import JSON
import Scenario
import Upload

/// Asks any server that can list the uuids of a device's records (`target.verify`), with the pages that follow.
final class QuerySource: ListingSource {
  /// What to ask, with `{device}` where a device's name belongs.
  struct Question {
    let url: String
    /// Leads to the uuids.
    let path: String
    /// Leads to the cursor or the URL of the next page.
    var next: String?
    /// Of records that were put aside: where they are listed, when not in the same answer, and what leads to them.
    var putAsideURL: String?
    var putAsidePath: String?
    var fields: [Named<String>] = []
  }

  private let client: BlockingHTTPClient
  private let question: Question
  private let headers: [Named<String>]
  private let seed: UInt64
  private let deviceCount: Int
  let isOfAllDevices = false

  private static let pagesMax = 10_000
  /// For all devices together, and for each.
  private static let (span, spanEach) = (Nanoseconds.seconds(20), Nanoseconds.milliseconds(20))
  /// For each page with records that no earlier one had.
  private static let spanEachPage = Nanoseconds.milliseconds(500)

  /// The headers are those of a device's requests.
  init(_ client: BlockingHTTPClient, _ question: Question, headers: [Named<String>], seed: UInt64, deviceCount: Int) {
    self.client = client
    self.seed = seed
    self.question = question
    self.headers = headers
    self.deviceCount = deviceCount
  }

  func read(_ device: String, _ take: (_ device: String?, ListedEntry) -> Void) -> String? {
    client.limit(to: QuerySource.span + QuerySource.spanEach * Int64(deviceCount))
    let reader = ListedPage(uuids: question.path, putAside: question.putAsidePath, fields: question.fields)
    let isAsideApart = question.putAsideURL != nil
    let problem = readPages(from: question.url, of: device) { page, text in
      if !isAsideApart { reader.readPutAside(page) { take(device, $0) } }
      return reader.read(page, text) { take(device, $0) }
    }
    if let problem { return problem }
    guard let url = question.putAsideURL else { return nil }
    let aside = ListedPage(uuids: question.path, putAside: question.putAsidePath ?? question.path, fields: [])
    return readPages(from: url, of: device) { page, _ in
      aside.readPutAside(page) { take(device, $0) }
      return nil
    }
  }

  /// Reads a list to its last page (RFC 8288 §3). Gives why it could not.
  private func readPages(
    from template: String, of device: String, take: (StoredValue, _ body: [UInt8]) -> String?
  ) -> String? {
    let address = template.filling("device", device.percentEncoded)
    var next: String? = address.filling("cursor", "")
    var seen: Set<String> = []
    var bodies: Set<Int> = []
    let placeholders = DevicePlaceholders(named: device, seed: seed)
    let fields = headers.map { NameValuePair($0.name, placeholders.fill($0.value)) }
    while let page = next {
      guard seen.insert(page).inserted, seen.count <= QuerySource.pagesMax else {
        return "\(page): its pages form a loop"
      }
      let answer = client.ask(page, headers: fields)
      if let reason = answer.refusal { return "\(page): \(reason)" }
      let head = AnswerHead(parsing: client.head)
      let body = answer.body
      guard let value = ListedPage.value(body) else { return "\(page): \(ListedPage.noJSON(body))" }
      if let problem = take(value, body) { return "\(page): \(problem)" }
      if bodies.insert(body.hashValue).inserted { client.extendLimit(by: QuerySource.spanEachPage) }
      next = PageLink.next(in: head, from: page) ?? cursor(in: value).flatMap { follow($0, address, from: page) }
      if let next, OutsideSetup.parts(of: next).origin != OutsideSetup.parts(of: page).origin {
        return "\(page): its next page, \(next), is on another server"
      }
    }
    return nil
  }

  /// Null and the empty text end a list.
  private func cursor(in page: StoredValue) -> String? {
    guard let path = question.next, let value = page.values(along: JSONStep.steps(of: path)[...]).first else {
      return nil
    }
    switch value {
    case .text(let text): return text.isEmpty ? nil : text
    case .number(let digits): return digits
    case .null, .bool, .list, .object: return nil
    }
  }

  private func follow(_ cursor: String, _ address: String, from page: String) -> String? {
    if cursor.hasPrefix("http://") || cursor.hasPrefix("https://") { return cursor }
    if cursor.hasPrefix("/") { return PageLink.parts(of: page).origin + cursor }
    return address.contains("{cursor}") ? address.filling("cursor", cursor.percentEncoded) : nil
  }
}

/// Finds identities in a page of a list, and what stands beside them.
struct ListedPage {
  private let path: [JSONStep]
  private let pathText: String
  private let putAside: [JSONStep]?
  private let fields: [Named<[JSONStep]>]

  init(uuids: String, putAside: String?, fields: [Named<String>]) {
    path = JSONStep.steps(of: uuids)
    pathText = uuids
    self.putAside = putAside.map(JSONStep.steps)
    self.fields = fields.map { Named(name: $0.name, value: JSONStep.steps(of: $0.value)) }
  }

  /// JSON, or the entries of NDJSON as a list.
  static func value(_ body: [UInt8]) -> StoredValue? {
    if let value = StoredValue(body) { return value }
    let lines = body.split(separator: UInt8(ascii: "\n")).filter { $0.contains { $0 > 0x20 } }
    guard lines.count > 1 else { return nil }
    let values = lines.compactMap { StoredValue(Array($0)) }
    return values.count == lines.count ? .list(values) : nil
  }

  static func noJSON(_ body: [UInt8]) -> String {
    do throws(JSONError) { _ = try JSONValue(parsing: body.span, duplicateKeys: .lastWins) } catch {
      return "the answer is not JSON (\(error.description)): it begins with \(start(of: body))"
    }
    return "the answer is not JSON: it begins with \(start(of: body))"
  }

  /// Gives why it cannot be read, as half a sentence; nil when it can.
  func read(_ page: StoredValue, _ body: [UInt8], _ take: (ListedEntry) -> Void) -> String? {
    var page = page
    // A single line of NDJSON is an object.
    if case .object = page, path.first == .everyElement { page = .list([page]) }
    // The identity stands in the entry behind the last `[*]`.
    let split = path.lastIndex(of: .everyElement).map { $0 + 1 } ?? 0
    let entries = page.values(along: path[..<split])
    var leads = false
    for entry in entries {
      for value in entry.values(along: path[split...]) {
        leads = true
        guard case .text(let text) = value, let uuid = UUID128(text: text.utf8.span) else {
          return "\(pathText) leads to \(value.shown.shortened(60)), which is not a UUID"
        }
        take(ListedEntry(uuid: uuid, content: content(of: entry)))
      }
    }
    return leads || entries.isEmpty && page.hasList(along: path[...])
      ? nil : "\(pathText) matches nothing in the answer, which begins with \(ListedPage.start(of: body))"
  }

  /// The identities of records that are not in the store and were put aside.
  func readPutAside(_ page: StoredValue, _ take: (ListedEntry) -> Void) {
    guard let putAside else { return }
    for case .text(let text) in page.values(along: putAside[...]) {
      if let uuid = UUID128(text: text.utf8.span) { take(ListedEntry(uuid: uuid, isPutAside: true)) }
    }
  }

  private func content(of entry: StoredValue) -> RecordContent? {
    guard case .object = entry else { return nil }
    let content = RecordContent(StoredRecord(entry, fields: fields))
    return content.isEmpty ? nil : content
  }

  private static func start(of body: [UInt8]) -> String {
    let text = String(decoding: body.prefix(80), as: UTF8.self).map { $0.isNewline ? " " : $0 }
    return body.isEmpty ? "nothing: it is empty" : "'\(String(text))'"
  }
}

extension StoredValue {
  /// The path leads to a list, which may be empty.
  fileprivate func hasList(along path: ArraySlice<JSONStep>) -> Bool {
    switch path.first {
    case nil: return true
    case .member(let name)?: return self[name]?.hasList(along: path.dropFirst()) ?? false
    case .everyElement?:
      guard case .list(let elements) = self else { return false }
      return elements.isEmpty || elements.contains { $0.hasList(along: path.dropFirst()) }
    }
  }
}
