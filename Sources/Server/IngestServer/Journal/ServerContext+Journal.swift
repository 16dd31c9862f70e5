import Base
import JSON
import Network
import Store

extension ServerContext {
  private static let requestsMax = 1_000

  /// `?run=&device=&status=&path=&limit=&cursor=`; `path` is what the path begins with. A request within a run sees that
  /// run only.
  func listRequests(_ exchange: Exchange) -> Reply {
    guard journal != nil else { return .answer(.error(404, "journal_off", "the journal is off; see --journal")) }
    var filter = JournalFilter(
      run: exchange.target.run.isEmpty ? exchange.queryItem("run") : exchange.target.run,
      device: exchange.queryItem("device"), pathPrefix: exchange.queryItem("path"))
    var numbers: [String: Int64] = [:]
    for name in ["status", "limit", "cursor"] {
      guard let text = exchange.queryItem(name) else { continue }
      guard let number = Int64(text), number >= 0 else {
        return .answer(.error(400, "bad_query", "\(name) must be a whole number, not \(text)"))
      }
      numbers[name] = number
    }
    filter.status = numbers["status"].map { Int($0) }
    let limit = min(max(1, Int(numbers["limit"] ?? 100)), ServerContext.requestsMax)
    let cursor = numbers["cursor"] ?? 0
    return .askJournal { [filter] (journal) throws(StoreError) in
      let page = try journal.requests(matching: filter, after: cursor, limit: limit)
      return .json { writer in
        writer.beginObject()
        writer.key("requests")
        writer.beginArray()
        for request in page.elements { writer.append(request) }
        writer.endArray()
        if let next = page.next {
          writer.key("cursor")
          writer.value("\(next)")
        }
        writer.endObject()
      }
    }
  }
}

extension IngestSession {
  func askJournal(
    _ exchange: Exchange, _ question: @escaping @Sendable (Journal) throws(StoreError) -> Response,
    _ output: inout SessionOutput
  ) {
    let isAsked =
      context.journal?.ask(
        { journal in
          do throws(StoreError) { return .answered(try question(journal)) } catch {
            return .answered(.unreadable(error))
          }
        }, address) ?? false
    guard isAsked else { return answer(exchange, .tooManyQuestions, bodyComplete: true, &output) }
    state = .asking(exchange)
    wishes.wantsInput = false
  }
}

extension JSONWriter {
  /// `head`, `body` and `answer` are text; of long ones the journal keeps the beginning. `fault` stands there when one met
  /// the request.
  fileprivate mutating func append(_ request: JournaledRequest) {
    let entry = request.entry
    beginObject()
    key("sequence")
    value(request.sequence)
    member("run", entry.run)
    if let device = entry.device { member("device", device) }
    if let received = WallInstant(exactly: entry.receivedAt) { member("receivedAt", received) }
    key("durationMicroseconds")
    value(entry.durationMicroseconds)
    member("method", entry.method)
    member("path", entry.path)
    member("status", entry.status)
    if let fault = entry.fault { member("fault", fault) }
    member("head", String(decoding: entry.head, as: UTF8.self))
    member("body", String(decoding: entry.body, as: UTF8.self))
    member("answer", String(decoding: entry.answer, as: UTF8.self))
    endObject()
  }
}
