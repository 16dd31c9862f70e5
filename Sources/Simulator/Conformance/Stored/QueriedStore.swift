import AnswerCheck
import BackendStore
import Base
import Contract
import JSON
import Scenario
import Upload

/// A store that is read over HTTP, JSON or NDJSON, page by page.
struct QueriedStore: StoreView {
  let url: String
  let headers: [NameValuePair]
  let records: [JSONStep]
  let next: [JSONStep]?
  let fields: [Named<[JSONStep]>]
  let client: ConformanceClient

  private static let pagesMax = 10_000

  var place: String { url }

  func read(_ device: String, _ take: (StoredRecord) -> Void) throws(StoreProblem) {
    var isEmpty = true
    var next: String? = address(of: device, cursor: "")
    var seen: Set<String> = []
    while let page = next {
      guard seen.insert(page).inserted, seen.count <= QueriedStore.pagesMax else {
        throw StoreProblem(text: "the pages of \(url) form a loop")
      }
      let (outcome, head) = client.ask(page, headers: headers)
      guard case .answered(let status, reason: _, let body) = outcome else {
        if case .failed(_, let message) = outcome { throw StoreProblem(text: "\(page): \(message)") }
        return
      }
      // A device without records may have no list either.
      if status == 404, isEmpty { return }
      guard status == 200 else { throw StoreProblem(text: "\(page): status \(status)") }
      try readEntries(in: body, of: page) { record in
        isEmpty = false
        take(record)
      }
      next = PageLink.next(in: head, from: page) ?? cursor(in: body).flatMap { follow($0, of: device, from: page) }
      if let next, PageLink.parts(of: next).origin != PageLink.parts(of: page).origin {
        throw StoreProblem(text: "\(page): its next page, \(next), is on another server")
      }
    }
  }

  private func address(of device: String, cursor: String) -> String {
    url.filling("device", device.percentEncoded).filling("cursor", cursor.percentEncoded)
  }

  /// Null and the empty text end a list.
  private func cursor(in body: [UInt8]) -> String? {
    guard let next, let value = StoredValue(body)?.values(along: next[...]).first else { return nil }
    switch value {
    case .text(let text): return text.isEmpty ? nil : text
    case .number(let digits): return digits
    case .null, .bool, .list, .object: return nil
    }
  }

  private func follow(_ cursor: String, of device: String, from page: String) -> String? {
    if cursor.hasPrefix("http://") || cursor.hasPrefix("https://") { return cursor }
    if cursor.hasPrefix("/") { return PageLink.parts(of: page).origin + cursor }
    return url.contains("{cursor}") ? address(of: device, cursor: cursor) : nil
  }

  private func readEntries(
    in body: [UInt8], of page: String, _ take: (StoredRecord) -> Void
  ) throws(StoreProblem) {
    guard let value = StoredValue(body) else {
      var lines = LineEntries(of: page, fields: fields)
      lines.take(body[...], take)
      lines.end(take)
      if let problem = lines.problem { throw problem }
      return
    }
    var found = value.values(along: records[...])
    // A single line is JSON too.
    if found.isEmpty, case .object = value, records == [.everyElement] { found = [value] }
    for entry in found { take(StoredRecord(entry, fields: fields)) }
  }
}
