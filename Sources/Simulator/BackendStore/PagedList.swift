package import AnswerCheck
package import Base
import Contract
import JSON
package import Scenario
import Synchronization
package import Upload

/// A list of the records of one device, read over HTTP up to its last page (RFC 8288 §3): JSON or NDJSON.
package struct PagedList: Sendable {
  package typealias Question = (_ page: String) -> (outcome: RequestOutcome, head: AnswerHead)

  /// Contains `{device}`, and `{cursor}` or the number of a page as placeholders.
  private let url: String
  /// The path to the cursor or the URL of the next page.
  private let next: [JSONStep]?
  /// Whether `next` has led to a value in some answer; a list without it is then complete.
  private let hasLed = SeenOnce()

  private static let pagesMax = 10_000
  /// A store may repeat a record, and a server may filter pages; after more pages without anything new the list
  /// counts as endless.
  private static let idlePagesMax = 20

  package init(_ url: String, next: [JSONStep]?) { (self.url, self.next) = (url, next) }

  /// Returns the URL of the first page.
  package func firstPage(of device: String) -> String { FirstPage(of: PageNumber().fill(address(device))).url }

  private func address(_ device: String) -> String { url.filling("device", device.percentEncoded) }

  /// Reads all pages. `ask` sends the request for a page; `take` receives it and returns a mark of its content.
  @discardableResult
  package func read(
    _ device: String, _ ask: Question, _ take: (_ page: StoredValue) throws(StoreViewError) -> ListedMark
  ) throws(StoreViewError) -> ListEnd {
    let address = address(device)
    let first = FirstPage(of: PageNumber().fill(address))
    var next: String? = first.url
    var seen: Set<String> = []
    var told: Set<ListedMark> = []
    var (idlePages, entries, listed) = (0, 0, 0)
    let isNumbered = PageNumber.isNeeded(by: url)
    var end = ListEnd()
    end.isPaged = true
    while let page = next {
      // An API of later changes gives a cursor with each page; an empty one that gives its own is the last.
      if entries == 0, seen.contains(page) { break }
      guard seen.insert(page).inserted else { throw StoreViewError(text: "'\(page)': its pages form a loop") }
      guard seen.count <= PagedList.pagesMax else {
        throw StoreViewError(text: "'\(page)': the list has more than \(PagedList.pagesMax) pages")
      }
      let (outcome, head) = ask(page)
      let shown = "'\(page)'\(seen.count == 1 ? first.note : "")"
      // Some servers have no page behind the last one.
      if isNumbered, seen.count > 1, outcome.status == 404 { break }
      let body = try PagedList.body(of: outcome, head, shown, isFirst: seen.count == 1)
      guard let value = PagedList.value(body) ?? (body.isEmpty && head.isOfLines ? .list([]) : nil) else {
        // An empty body is a list without entries, whatever its type, if other answers have been lists.
        throw StoreViewError(text: "\(shown): \(PagedList.noJSON(body))", isAbsence: body.isEmpty && seen.count == 1)
      }
      do throws(StoreViewError) {
        let mark = try take(value)
        (entries, listed) = (mark.entries, listed + mark.entries)
        idlePages = told.insert(mark).inserted ? 0 : idlePages + 1
        if isNumbered, entries > 0, idlePages > 0 {
          throw StoreViewError(text: "it has the entries of another page, so the server does not count pages so")
        }
      } catch {
        throw StoreViewError(text: "\(shown): \(error.text), which begins with \(PagedList.start(of: body))")
      }
      guard idlePages < PagedList.idlePagesMax else {
        throw StoreViewError(
          text:
            "'\(page)': the last \(idlePages) pages contain nothing that an earlier page did not contain, and each names a next page"
        )
      }
      if seen.count > 1 { end.hasPages = true }
      next = PageLink.next(in: head, from: page)
      if next != nil || leads(value) { end.isNamed = true }
      if next == nil, isNumbered {
        end.isNamed = true
        if entries > 0 { next = PageNumber(pages: seen.count, entries: listed).fill(address) }
      }
      if next == nil, let cursor = cursor(in: value) { next = try follow(cursor, address, from: page) }
      if let next, URLParts(next).origin != URLParts(page).origin {
        throw StoreViewError(text: "'\(page)': its next page, '\(next)', is on another server")
      }
      if next == nil, !hasLed.isSeen, !isNumbered,
        let place = FurtherPages(in: value, entries: entries, listed: listed) ?? FurtherPages(head, listed: listed)
      {
        let typo = self.next == nil ? "" : "verify.next matches nothing in it, and "
        end.unread =
          "'\(page)': \(typo)the answer has \"\(place.path)\": \(place.value.shortened(40)), so there may be more pages"
      }
    }
    return end
  }

  /// Reports whether `next` leads to a value; null marks the end, too.
  private func leads(_ page: StoredValue) -> Bool {
    guard let next, !page.values(along: next[...]).isEmpty else { return false }
    hasLed.note()
    return true
  }

  private static func body(
    of outcome: RequestOutcome, _ head: AnswerHead, _ shown: String, isFirst: Bool
  ) throws(StoreViewError) -> [UInt8] {
    switch outcome {
    case .answered(status: 200, reason: _, let body): return body
    case .answered(let status, reason: _, let body):
      if 300..<400 ~= status, let place = head[HeaderName.location] {
        throw StoreViewError(text: "\(shown): status \(status), which leads to '\(place)': name that URL in verify.url")
      }
      let answer = body.isEmpty ? "" : " with \(start(of: body))"
      throw StoreViewError(text: "\(shown): status \(status)\(answer)", isAbsence: isFirst && status == 404)
    case .failed(_, let message): throw StoreViewError(text: "\(shown): \(message)")
    }
  }

  /// Returns the cursor of the next page; null and the empty text end a list.
  private func cursor(in page: StoredValue) -> String? {
    guard let next, let value = page.values(along: next[...]).first else { return nil }
    switch value {
    case .text(let text): return text.isEmpty ? nil : text
    case .number(let digits): return digits
    case .null, .bool, .list, .object: return nil
    }
  }

  private func follow(_ cursor: String, _ address: String, from page: String) throws(StoreViewError) -> String {
    if URLParts(cursor).isHTTP || cursor.hasPrefix("/") || cursor.hasPrefix("?") {
      return PageLink.resolve(cursor[...], from: page)
    }
    guard address.contains("{cursor}") else {
      throw StoreViewError(
        text: "'\(page)': its next page is at the cursor '\(cursor.shortened(40))', and the URL has no {cursor} for it")
    }
    return address.filling("cursor", cursor.percentEncoded)
  }

  /// Parses JSON, or the lines of NDJSON as a list.
  static func value(_ body: [UInt8]) -> StoredValue? {
    if let value = StoredValue(body) { return value }
    let lines = body.split(separator: UInt8(ascii: "\n")).filter { $0.contains { $0 > 0x20 } }
    let values = lines.compactMap(LineEntries.value)
    return lines.isEmpty || values.count < lines.count ? nil : .list(values)
  }

  private static func noJSON(_ body: [UInt8]) -> String {
    do throws(JSONError) { _ = try JSONValue(parsing: body.span, reading: .lenient) } catch {
      return "the answer is not JSON (\(error.description)): it begins with \(start(of: body))"
    }
    return "the answer is not JSON: it begins with \(start(of: body))"
  }

  private static func start(of body: [UInt8]) -> String {
    let text = String(decoding: body.prefix(80), as: UTF8.self).map { $0.isNewline ? " " : $0 }
    return body.isEmpty ? "nothing: it is empty" : "'\(String(text))'"
  }
}

/// The number of a page in its URL, after so many pages and entries (`TargetVerification.counters`). A page without entries is
/// behind the last one.
private struct PageNumber {
  var (pages, entries) = (0, 0)

  static func isNeeded(by url: String) -> Bool { TargetVerification.counters.contains { url.contains("{\($0)}") } }

  func fill(_ address: String) -> String {
    zip(TargetVerification.counters, [pages + 1, pages, entries]).reduce(address) { address, counter in
      address.filling(counter.0, "\(counter.1)")
    }
  }
}

/// The URL of the first page.
private struct FirstPage {
  let url: String
  /// The difference from the given URL, for messages; empty without one.
  let note: String

  /// Omits a parameter that only holds the cursor, because many servers reject an empty one.
  init(of address: String) {
    let place = "{cursor}"
    guard address.contains(place) else {
      (url, note) = (address, "")
      return
    }
    let parts = address.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let parameters = parts.count > 1 ? parts[1].split(separator: "&", omittingEmptySubsequences: false) : []
    let kept = parameters.filter { !$0.hasSuffix("=" + place) }
    let dropped = parameters.filter { $0.hasSuffix("=" + place) }.joined(separator: "&")
    let query = kept.isEmpty ? "" : "?" + kept.joined(separator: "&")
    url = ((parts.first.map(String.init) ?? "") + query).filling("cursor", "")
    note =
      dropped.isEmpty
      ? " (the first page, with nothing in the place of {cursor})" : " (the first page, without '\(dropped)')"
  }
}

/// A digest of a page's content: pages with the same mark list the same records.
package struct ListedMark: Hashable, Sendable {
  private var value = 0
  /// The number of entries.
  private(set) var entries = 0

  package init() {}

  package mutating func add(_ more: some Hashable) {
    var hasher = Hasher()
    hasher.combine(value)
    hasher.combine(more)
    value = hasher.finalize()
  }

  mutating func count(_ entry: some Hashable) {
    add(entry)
    entries += 1
  }
}

/// The records of a page.
package struct ListedRecords {
  private let path: [JSONStep]
  private let pathText: String
  private let fields: [Named<[JSONStep]>]

  /// `path` leads to the entries, each an object, or to their identities, in which case the object around an
  /// identity is the entry.
  package init(_ path: String, fields: [Named<[JSONStep]>]) {
    self.path = JSONStep.steps(of: path)
    (pathText, self.fields) = (path, fields)
  }

  /// Throws why the page cannot be read, as half a sentence about "the answer".
  package func read(_ page: StoredValue, _ take: (StoredRecord) -> Void) throws(StoreViewError) -> ListedMark {
    var none = PageSeams()
    return try read(page, &none, take)
  }

  /// Reads a page without what `seams` finds at the end of the page before.
  package func read(
    _ page: StoredValue, _ seams: inout PageSeams, _ take: (StoredRecord) -> Void
  ) throws(StoreViewError) -> ListedMark {
    var page = page
    var mark = ListedMark()
    defer { seams.endPage(take) }
    // A single line of NDJSON is an object.
    if case .object = page, path.first == .everyElement, !page.isMapOfRecords(fields) { page = .list([page]) }
    // An entry is an element of the last `[*]`.
    let split = path.lastIndex(of: .everyElement).map { $0 + 1 } ?? 0
    let entries = page.values(along: path[..<split])
    var leads = false
    for entry in entries {
      for value in entry.values(along: path[split...]) {
        leads = true
        if value.isMapOfRecords(fields) {
          throw StoreViewError(
            text: "\(pathText) leads to an object of records (\"\(pathText)[*]\" leads to each) in the answer")
        }
        let record = try self.record(value.opened, in: entry)
        if let uuid = record.uuid { mark.count(uuid) } else { mark.count(record.entry.shown) }
        seams.pass(record, take)
      }
    }
    guard leads || entries.isEmpty && page.hasList(along: path[...]) else {
      throw StoreViewError(text: "\(pathText) matches nothing\(remedy(in: page)) in the answer")
    }
    return mark
  }

  /// Returns the path to use where the page is a list, as NDJSON is, and the path is one in its entries.
  private func remedy(in page: StoredValue) -> String {
    let each = [.everyElement] + path
    guard path.first != .everyElement, !page.values(along: each[...]).isEmpty else { return "" }
    return " (\"\(JSONStep.path(of: each))\" leads to the records)"
  }

  /// Returns the identities in a page. Throws where the path leads to no list, as half a sentence about "the answer".
  package func identities(in page: StoredValue) throws(StoreViewError) -> [UUID128] {
    guard leads(in: page) else {
      throw StoreViewError(text: "\(pathText) (verify.quarantined) matches nothing in the answer")
    }
    return page.values(along: path[...]).compactMap { value in
      value.string.map { UUID128(stored: $0.utf8.span) } ?? StoredRecord(value, fields: fields).uuid
    }
  }

  /// Reports whether the path leads to entries, or to a list without any.
  package func leads(in page: StoredValue) -> Bool {
    !page.values(along: path[...]).isEmpty || page.hasList(along: path[...])
  }

  private func record(_ value: StoredValue, in entry: StoredValue) throws(StoreViewError) -> StoredRecord {
    switch value {
    case .object: return StoredRecord(value, fields: fields)
    case .text(let text):
      if let uuid = UUID128(stored: text.utf8.span) { return StoredRecord(entry, fields: fields, uuid: uuid) }
    case .list where !fields.isEmpty: return StoredRecord(value, fields: fields)
    case .list:
      throw StoreViewError(
        text:
          "\(pathText) leads to \(value.shown.shortened(60)), a list: name the places of fields in it in verify.fields, as uuid: \"$[0]\""
      )
    case .null, .bool, .number: break
    }
    throw StoreViewError(
      text: "\(pathText) leads to \(value.shown.shortened(60)), neither a UUID nor an object, in the answer")
  }
}

extension AnswerHead {
  /// An empty NDJSON body is a list without entries; that of another type is not.
  fileprivate var isOfLines: Bool {
    let type = self[HeaderName.contentType]?.lowercased() ?? ""
    return type.contains("ndjson") || type.contains("jsonl")
  }
}

/// A flag that all lists of a store share.
private final class SeenOnce: Sendable {
  private let flag = Mutex(false)

  var isSeen: Bool { flag.withLock { $0 } }
  func note() { flag.withLock { $0 = true } }
}

extension StoredValue {
  /// Reports whether the path leads to a list, which may be empty, or to null, which some servers send for an empty list.
  fileprivate func hasList(along path: ArraySlice<JSONStep>) -> Bool {
    switch path.first {
    case nil, .quotient?, .utc?: return true
    case .member(let name)?: return self[name]?.hasList(along: path.dropFirst()) ?? false
    case .element(let index)?:
      guard case .list(let elements) = self else { return false }
      return elements.indices.contains(index) && elements[index].hasList(along: path.dropFirst())
    case .everyElement?:
      switch self {
      case .null: return true
      case .list(let elements): return elements.isEmpty || elements.contains { $0.hasList(along: path.dropFirst()) }
      case .object(let members): return members.isEmpty
      case .bool, .number, .text: return false
      }
    }
  }
}

extension StoredValue {
  /// Whether each member of an object is a record, and the object none: a list under keys, as of Firebase.
  func isMapOfRecords(_ fields: [Named<[JSONStep]>]) -> Bool {
    guard case .object(let members) = self, !members.isEmpty else { return false }
    let areRecords = members.allSatisfy { member in
      guard case .object = member.value else { return false }
      return StoredRecord(member.value.under(member.key), fields: fields).uuid != nil
    }
    return areRecords && StoredRecord(self, fields: fields).uuid == nil
  }
}
