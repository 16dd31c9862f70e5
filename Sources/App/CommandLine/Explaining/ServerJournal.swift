import AnswerCheck
import BackendStore
import Base
import Conformance
import Contract
import CurlTransport
import Explain
import FleetSimulator
import JSON
import Scenario
import Upload

/// A running server, through its administration.
struct ServerJournal: RequestJournal {
  private let base: String
  private let headers: [NameValuePair]
  private let adminToken: String?

  private static let page = 200

  init(_ url: String, adminToken: String?) {
    base = url.hasSuffix("/") ? String(url.dropLast()) : url
    self.adminToken = adminToken
    headers = adminToken.map { [NameValuePair(HeaderName.authorization, "Bearer \($0)")] } ?? []
  }

  /// A server that lists no devices stores nothing. Of a proxy the devices are those whose records the backend has acknowledged.
  func store() throws(SourceFailure) -> (any StoreView)? {
    guard try listsDevices(), try answer(to: "/admin/v1/clauses").status != 200 else { return nil }
    var dialect = Dialect()
    dialect.preset = .rollingroad
    let target = ConformanceTarget(base + "/locations", dialect, adminToken: adminToken)
    return target.store.map { ServerStore(place: base, listing: $0) }
  }

  private func listsDevices() throws(SourceFailure) -> Bool {
    try answer(to: "/admin/v1/devices?limit=1").status != 404
  }

  func begin() throws(SourceFailure) -> WallInstant? {
    guard case .array(let requests)? = try ask("/admin/v1/requests?limit=1")["requests"] else { return nil }
    return requests.first?["receivedAt"]?.instant
  }

  func requests(of device: String?, with uuid: UUID128?, _ take: (SeenRequest) -> Void) throws(SourceFailure) {
    var query = "/admin/v1/requests?limit=\(ServerJournal.page)"
    if let device { query += "&device=\(device.percentEncoded)" }
    guard let uuid else {
      return try pages(query, "requests", "cursor") { request in if let seen = seen(request) { take(seen) } }
    }
    var (found, isAcknowledged): (Set<String>, Bool) = ([], false)
    try pages(query + "&text=\(uuid.lowerCaseText)", "requests", "cursor") { request in
      guard let seen = seen(request) else { return }
      found.insert(seen.place)
      isAcknowledged = isAcknowledged || seen.isSuccess
      take(seen)
    }
    guard !isAcknowledged else { return }
    // The record may be in the rest of a body that is kept only in part: that there are such bodies has to be told.
    try pages(query, "requests", "cursor") { request in
      if let seen = seen(request), seen.isCut, !found.contains(seen.place) { take(seen) }
    }
  }

  func devices() throws(SourceFailure) -> [String] {
    guard try listsDevices() else { return [] }
    var names: [String] = []
    try pages("/admin/v1/devices?limit=1000", "devices", "next") { device in
      if let name = device["device"]?.text ?? device["name"]?.text { names.append(name) }
    }
    return names
  }

  func putAside(_ take: (UUID128, Evidence) -> Void) throws(SourceFailure) {
    try pages("/admin/v1/quarantine?limit=1000", "records", "next") { entry in
      guard let record = entry["record"]?.text else { return }
      let words = [entry["reason"]?.text, entry["key"]?.text].compactMap { $0 }.filter { $0 != "" }
      for uuid in SeenRequest.uuids(in: Array(record.utf8)) {
        take(uuid, Evidence(words.joined(separator: ": "), place: "quarantine", time: entry["receivedAt"]?.instant))
      }
    }
  }

  /// All elements of a list, page by page.
  private func pages(
    _ query: String, _ list: String, _ next: String, _ take: (JSONValue) -> Void
  ) throws(SourceFailure) {
    var cursor: String?
    repeat {
      let answer = try ask(query + (cursor.map { "&cursor=\($0.percentEncoded)" } ?? ""))
      if case .array(let elements)? = answer[list] { for element in elements { take(element) } }
      let following = answer[next]?.text
      guard following != cursor || following == nil else {
        throw SourceFailure(message: "\(base): its pages form a loop")
      }
      cursor = following
    } while cursor != nil
  }

  private func ask(_ path: String) throws(SourceFailure) -> JSONValue {
    let (status, body) = try answer(to: path)
    var value: JSONValue?
    do throws(JSONError) { value = try JSONValue(parsing: body.span) } catch { value = nil }
    guard status == 200 else {
      let said = value?["error"]?["message"]?.text.map { ", \($0)" } ?? ""
      throw SourceFailure(
        message: "\(base + path): status \(status)\(said)\(status == 401 ? "; give --admin-token" : "")")
    }
    guard let value else { throw SourceFailure(message: "\(base + path): the answer is not JSON") }
    return value
  }

  private func answer(to path: String) throws(SourceFailure) -> (status: Int, body: [UInt8]) {
    let client: BlockingHTTPClient
    do throws(TransportError) { client = try BlockingHTTPClient(TransportConfiguration()) } catch {
      throw SourceFailure(message: "\(error)")
    }
    switch client.ask(base + path, headers: headers) {
    case .answered(let status, reason: _, let body): return (status, body)
    case .failed(_, let message): throw SourceFailure(message: "\(base): \(message)")
    }
  }

  private func seen(_ request: JSONValue) -> SeenRequest? {
    guard let time = request["receivedAt"]?.instant, case .integer(let sequence)? = request["sequence"],
      case .integer(let status)? = request["status"]
    else { return nil }
    // A packed body comes as text that says nothing.
    let text = request["body"]?.text ?? ""
    let isPacked = text.hasPrefix("\u{1F}\u{FFFD}")
    let body = Array(text.utf8)
    let whole: Int64? = if case .integer(let count)? = request["requestBytes"] { count } else { nil }
    return SeenRequest(
      place: "journal #\(sequence)", time: time, device: request["device"]?.text,
      method: request["method"]?.text ?? "", path: request["path"]?.text ?? "", status: Int(status),
      fault: request["fault"]?.text.map(SeenRequest.Fault.init(named:)), body: body,
      isCut: isPacked || !body.isEmpty && whole.map { $0 > body.count } ?? false,
      answer: Array((request["answer"]?.text ?? "").utf8))
  }
}

/// What a server has stored, called by the URL that the user knows it by.
private struct ServerStore: StoreView {
  let place: String
  let listing: any StoreView

  /// A server that lists devices and does not know this one has no records of it.
  func read(_ device: String, _ take: (StoredRecord) -> Void) throws(StoreProblem) {
    do throws(StoreProblem) { try listing.read(device, take) } catch { if !error.isAbsence { throw error } }
  }
}

extension JSONValue {
  fileprivate var text: String? { if case .string(let text) = self { text } else { nil } }
  fileprivate var instant: WallInstant? { text.flatMap { WallInstant(iso8601: $0.utf8.span) } }
}
