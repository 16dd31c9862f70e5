import Base
import Contract
import HTTP1
import JSON
import Store

/// Handles requests for the journal.
struct JournalHandlers: Sendable {
  let hasJournal: Bool
  let routes: RecordedRoutes

  private enum RequestFormat: String, CaseIterable {
    case json, ndjson, har, scenario
  }

  private enum RequestOrder: String, CaseIterable {
    case oldest, newest
  }

  private static let requestsAtOnce = 64
  private static let pageBytes = 65_536

  /// `GET /admin/v1/requests?run&device&operation&method&status&path&fault&text&from&to&limit&cursor&order=oldest|newest&format=json|ndjson|har|scenario`.
  /// `path` is the beginning of the path, `status` a status or a class like `5xx`, `fault` is true, false, or a kind, `text`
  /// occurs anywhere in the path, the head, the body or the answer, ignoring case. A request within a run gets only that run.
  /// `cursor` is the `sequence` after which the answer begins; with the newest first, the one before which.
  ///
  /// As JSON a page of at most `limit` (100) with the `cursor` of the next. As lines, and as HTTP Archive, everything that
  /// exists when the answer begins, unless a limit bounds it, read page by page as the client takes it.
  func list(_ exchange: Exchange) throws(ResponseError) -> Reply {
    guard hasJournal else { return .answer(.error(404, "journal_off", "the journal is off; see --journal")) }
    let parameters = exchange.query
    var filter = try filter(exchange)
    filter.isNewestFirst = try parameters.choice("order", default: RequestOrder.oldest) == .newest
    let cursor = try parameters.rowCursor() ?? (filter.isNewestFirst ? Int64.max : 0)
    let limit = try parameters.limit()
    switch try parameters.choice("format", default: RequestFormat.json) {
    case .json: return listPage(filter, after: cursor, limit: limit ?? 100)
    case .ndjson:
      return listAll(.lines { [routes] in $1.append($0, routes) }, filter, after: cursor, limit: limit ?? .max)
    case .har: return listAll(.archive(routes), filter, after: cursor, limit: limit ?? .max)
    case .scenario: return listScenario(filter, after: cursor, limit: limit ?? .max)
    }
  }

  /// Times count from the first request, so the oldest must come first.
  private func listScenario(_ filter: JournalFilter, after cursor: Int64, limit: Int) -> Reply {
    var filter = filter
    filter.isNewestFirst = false
    let condition = filter.condition
    filter.condition = { [routes] entry in (condition?(entry) ?? true) && entry.isWhole(routes) }
    let start = cursor == .max ? 0 : cursor
    return .askJournal { [self, filter] (journal) throws(StoreError) in
      let format = ListFormat<JournaledRequest>.scenario(
        from: try begin(journal, filter, after: start, limit: limit))
      let first = try page(journal, format, filter, after: start, remaining: limit, isFirst: true)
      var response = Response(200, format.contentType, format.opening + first.bytes)
      response.rest = first.next
      return response
    }
  }

  /// Returns the earliest time of arrival. The journal is in the order of the answers, and a slow request comes after others
  /// that arrived later.
  private func begin(
    _ journal: Journal, _ filter: JournalFilter, after cursor: Int64, limit: Int
  ) throws(StoreError) -> Int64 {
    var begin = Int64.max
    var (next, left): (Int64?, Int) = (cursor, limit)
    while let after = next, left > 0 {
      let page = try journal.requests(matching: filter, after: after, limit: min(left, Self.requestsAtOnce))
      begin = page.elements.reduce(begin) { min($0, $1.entry.receivedAt) }
      (next, left) = (page.next, left - page.elements.count)
    }
    return begin
  }

  private func listPage(_ filter: JournalFilter, after cursor: Int64, limit: Int) -> Reply {
    .askJournal { [routes] (journal) throws(StoreError) in
      var page = try journal.requests(matching: filter, after: cursor, limit: limit)
      // An empty page would look like the end.
      while page.elements.isEmpty, let next = page.next {
        page = try journal.requests(matching: filter, after: next, limit: limit)
      }
      return .object { writer in
        writer.list("requests", page.elements) { writer, request in writer.append(request, routes) }
        if let next = page.next {
          writer.member("cursor", "\(next)")
        }
      }
    }
  }

  private func listAll(
    _ format: ListFormat<JournaledRequest>, _ filter: JournalFilter, after cursor: Int64, limit: Int
  ) -> Reply {
    .askJournal { [self] (journal) throws(StoreError) in
      let first = try page(journal, format, filter, after: cursor, remaining: limit, isFirst: true)
      var response = Response(200, format.contentType, format.opening + first.bytes)
      response.rest = first.next
      return response
    }
  }

  private func page(
    _ journal: Journal, _ format: ListFormat<JournaledRequest>, _ filter: JournalFilter, after cursor: Int64,
    remaining: Int, isFirst: Bool
  ) throws(StoreError) -> ContentPage {
    let page = try journal.requests(matching: filter, after: cursor, limit: min(remaining, Self.requestsAtOnce))
    var bytes: [UInt8] = []
    var taken = 0
    // Requests may be large: one that would make the page too long begins the next.
    for request in page.elements where taken == 0 || bytes.count < Self.pageBytes {
      if !isFirst || taken > 0 { bytes += format.separator }
      format.append(request, &bytes)
      taken += 1
    }
    let next = taken < page.elements.count ? page.elements[taken - 1].sequence : page.next
    let left = remaining - taken
    guard let next, left > 0 else { return ContentPage(bytes: bytes + format.closing(nil), next: nil) }
    return ContentPage(
      bytes: bytes,
      next: .journal { [self, isFirst = isFirst && taken == 0] (journal: Journal) throws(StoreError) -> ContentPage in
        try self.page(journal, format, filter, after: next, remaining: left, isFirst: isFirst)
      })
  }

  private func filter(_ exchange: Exchange) throws(ResponseError) -> JournalFilter {
    let parameters = exchange.query
    var filter = JournalFilter(
      run: exchange.optionalRun,
      device: parameters.text("device"), pathPrefix: parameters.text("path"))
    let statuses = try parameters.statuses("status")
    let operation = try parameters.name("operation", among: DeviceOperation.allCases.map(\.rawValue))
    let fault = try parameters.name(
      "fault",
      among: ["true", "false", Exchange.brokenRefresh]
        + ServerFault.Kind.allCases.filter { !$0.isOfHandshake }.map(\.rawValue))
    let method = parameters.text("method")
    let sought = parameters.text("text").flatMap { $0.isEmpty ? nil : SoughtText($0) }
    let (from, to) = try parameters.window()
    filter.condition = { [routes] entry in
      if let statuses, !statuses.contains(entry.status) { return false }
      if let method, method != entry.method { return false }
      if entry.receivedAt < from || entry.receivedAt >= to { return false }
      switch fault {
      case nil: break
      case "true": if entry.fault == nil { return false }
      case "false": if entry.fault != nil { return false }
      default: if entry.fault != fault { return false }
      }
      if let sought, !sought.isIn(entry) { return false }
      return operation == nil || routes.route(of: entry.method, entry.path)?.name == operation
    }
    return filter
  }
}

/// A text to find in bytes, ignoring the case of Latin letters.
struct SoughtText: Sendable {
  private let bytes: [UInt8]

  init(_ text: String) { bytes = text.utf8.map(Self.folded) }

  func isIn(_ entry: JournalEntry) -> Bool {
    isIn(Array(entry.path.utf8)) || isIn(entry.body) || isIn(entry.answer) || isIn(entry.head)
  }

  func isIn(_ text: [UInt8]) -> Bool {
    guard let first = bytes.first else { return true }
    var start = 0
    while start + bytes.count <= text.count {
      if Self.folded(text[start]) == first, matches(text, at: start) { return true }
      start += 1
    }
    return false
  }

  private func matches(_ text: [UInt8], at start: Int) -> Bool {
    for index in bytes.indices where Self.folded(text[start + index]) != bytes[index] { return false }
    return true
  }

  private static func folded(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
}

extension QueryParameters {
  /// Reads `404`, or `4xx` for a whole class.
  fileprivate func statuses(_ name: String) throws(ResponseError) -> ClosedRange<Int>? {
    guard let text = text(name) else { return nil }
    if text.count == 3, text.hasSuffix("xx"), let first = text.first?.wholeNumberValue, (1...5).contains(first) {
      return first * 100...first * 100 + 99
    }
    guard let status = Int(text), (100...599).contains(status) else {
      throw QueryParameters.refuse(name, "must be a status such as 404, or a class such as 4xx")
    }
    return status...status
  }

  /// Reads one of the names; the error suggests the nearest one.
  func name(_ name: String, among known: [String]) throws(ResponseError) -> String? {
    guard let text = text(name) else { return nil }
    guard known.contains(text) else {
      let hint = NearestName.find(text, in: known).map { "; did you mean \($0)?" } ?? ""
      throw QueryParameters.refuse(name, "must be one of \(known.joined(separator: ", "))\(hint)")
    }
    return text
  }
}

extension JSONWriter {
  /// `head`, `body` and `answer` are text, of which the journal keeps the beginning. `requestBytes` and `answerBytes` are the
  /// sizes of the complete contents, null when unknown. `operation` is null for an unserved path. `fault` is present if one was
  /// injected.
  fileprivate mutating func append(_ request: JournaledRequest, _ routes: RecordedRoutes) {
    let entry = request.entry
    let route = routes.route(of: entry.method, entry.path)
    beginObject()
    member("sequence", request.sequence)
    member("run", entry.run)
    if let device = entry.device { member("device", device) }
    if let received = WallInstant(exactly: entry.receivedAt) { member("receivedAt", received) }
    member("durationMicroseconds", entry.durationMicroseconds)
    member("method", entry.method)
    member("path", entry.path)
    member("operation", route?.name)
    member("status", entry.status)
    member("requestBytes", entry.requestBytes(route?.deviceOperation))
    member("answerBytes", JournalDraft.isSecret(route?.deviceOperation) ? nil : entry.answer.wholeCount)
    if let fault = entry.fault { member("fault", fault) }
    member("head", String(decoding: entry.head, as: UTF8.self))
    member("body", String(decoding: entry.body, as: UTF8.self))
    member("answer", String(decoding: entry.answer, as: UTF8.self))
    endObject()
  }
}

extension JournalEntry {
  /// For a body that is not recorded completely, the length that its head declared.
  func requestBytes(_ operation: DeviceOperation?) -> Int? {
    if !JournalDraft.isSecret(operation), isBodyWhole { return body.count }
    let fields = String(decoding: head, as: UTF8.self).split(separator: "\n")
    let announced = fields.first { $0.lowercased().hasPrefix("\(HeaderName.contentLength):".lowercased()) }
    return announced.flatMap { $0.split(separator: ":").last.flatMap { Int($0.filter { $0 != " " }) } }
  }
}

extension [UInt8] {
  /// The length; nil when the journal may have truncated the content.
  var wholeCount: Int? { count < JournalDraft.bytesMax ? count : nil }
}
