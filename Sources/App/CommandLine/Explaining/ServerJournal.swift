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
  /// The URL given by the user, with the run.
  private let url: String
  /// The URL without the run, whose lists contain all runs.
  private let base: String
  /// The run as spelled in the URL; empty without one.
  private let run: String
  private let headers: [NameValuePair]
  private let adminToken: String?
  private let transport: TransportConfiguration

  private static let page = 200

  init(_ url: String, adminToken: String?, over transport: TransportConfiguration) {
    var transport = transport
    transport.readsEnvironment = true
    self.transport = transport
    self.url = url.hasSuffix("/") ? String(url.dropLast()) : url
    let parts = self.url.split(separator: "/", omittingEmptySubsequences: false)
    run = parts.suffix(2).first == "r" ? parts.last.map(String.init) ?? "" : ""
    base = run == "" ? self.url : String(self.url.dropLast("/r/".count + run.count))
    self.adminToken = adminToken
    headers = adminToken.map { [NameValuePair(HeaderName.authorization, "Bearer \($0)")] } ?? []
  }

  /// A server that does not list devices stores nothing. A proxy lists the devices whose records the backend has
  /// acknowledged, but it stores nothing either.
  func store() throws(SourceError) -> (any StoreView)? {
    guard try listsDevices(), try answer(to: "/admin/v1/clauses").status != 200 else { return nil }
    var dialect = Dialect()
    dialect.preset = .rollingroad
    let target = ConformanceTarget(url + "/locations", dialect, adminToken: adminToken, over: transport)
    return target.store.map { ServerStore(place: url, listing: $0) }
  }

  private func listsDevices() throws(SourceError) -> Bool {
    try answer(to: "/admin/v1/devices?limit=1").status != 404
  }

  func begin() throws(SourceError) -> WallInstant? {
    guard case .array(let requests)? = try ask("/admin/v1/requests?limit=1")["requests"] else { return nil }
    return requests.first?["receivedAt"]?.instant
  }

  func requests(
    of device: String?, with uuid: UUID128?, _ take: (SeenRequest) -> Void
  ) throws(SourceError) -> [String] {
    var others: Set<String> = []
    func pages(_ query: String, _ takeOwn: (SeenRequest) -> Void) throws(SourceError) {
      try self.pages(query, "requests", "cursor") { request in
        if !isOfRun(request) { return others.formUnion([request["run"]?.text ?? ""]) }
        if let seen = seen(request) { takeOwn(seen) }
      }
    }
    var query = "/admin/v1/requests?limit=\(ServerJournal.page)"
    if let device { query += "&device=\(device.percentEncoded)" }
    guard let uuid else {
      try pages(query, take)
      return elsewhere(others)
    }
    var (found, isAcknowledged): (Set<String>, Bool) = ([], false)
    try pages(query + "&text=\(uuid.text)") { seen in
      found.insert(seen.place)
      isAcknowledged = isAcknowledged || seen.isSuccess
      take(seen)
    }
    let places = elsewhere(others)
    // The record may be in the missing part of a truncated body: such bodies must be reported.
    if !isAcknowledged { try pages(query) { seen in if seen.isCut, !found.contains(seen.place) { take(seen) } } }
    return places
  }

  /// The administration cannot select them: all that were acknowledged are read.
  func requestsOfNoDevice(_ take: (SeenRequest) -> Void) throws(SourceError) {
    try pages("/admin/v1/requests?limit=\(ServerJournal.page)&status=2xx", "requests", "cursor") { request in
      if isOfRun(request), let seen = seen(request), seen.device == nil { take(seen) }
    }
  }

  func undelivered(of device: String?, with uuid: UUID128?) throws(SourceError) -> Set<UUID128> {
    var query = "/admin/v1/ledger?state=undelivered&limit=\(ServerJournal.page)"
    if let device { query += "&device=\(device.percentEncoded)" }
    if let uuid { query += "&uuid=\(uuid.text)" }
    // Only a proxy with a journal has a ledger.
    guard try answer(to: query).status == 200 else { return [] }
    var uuids: Set<UUID128> = []
    try pages(query, "records", "next") { entry in
      if isOfRun(entry), let uuid = entry["uuid"]?.text.flatMap({ UUID128(text: $0.utf8.span) }) { uuids.insert(uuid) }
    }
    return uuids
  }

  /// An entry without a run belongs to the requested one.
  private func isOfRun(_ entry: JSONValue) -> Bool {
    guard let name = entry["run"]?.text else { return true }
    return name == run || name.percentEncoded == run
  }

  private func elsewhere(_ runs: Set<String>) -> [String] {
    runs.sorted().map { "--journal \(base)\($0 == "" ? "" : "/r/\($0.percentEncoded)")" }
  }

  func devices() throws(SourceError) -> [String: StoreAccount] {
    guard try listsDevices() else { return [:] }
    var accounts: [String: StoreAccount] = [:]
    try pages("/admin/v1/devices?limit=1000", "devices", "next") { device in
      guard isOfRun(device), let name = device["device"]?.text ?? device["name"]?.text else { return }
      let taken: Int? = if case .integer(let count)? = device["records"] { Int(count) } else { nil }
      accounts[name] = StoreAccount(taken: taken ?? 0, since: device["firstSeen"]?.instant)
    }
    return accounts
  }

  func quarantined(_ take: (UUID128, Evidence) -> Void) throws(SourceError) {
    // A proxy has none.
    guard try answer(to: "/admin/v1/quarantine?limit=1").status != 404 else { return }
    try pages("/admin/v1/quarantine?limit=1000", "records", "next") { entry in
      guard isOfRun(entry), let record = entry["record"]?.text else { return }
      let words = [entry["reason"]?.text, entry["key"]?.text].compactMap { $0 }.filter { $0 != "" }
      for uuid in SeenRequest.uuids(in: Array(record.utf8)) {
        take(uuid, Evidence(words.joined(separator: ": "), place: "quarantine", time: entry["receivedAt"]?.instant))
      }
    }
  }

  /// Passes all elements of a list, page by page.
  private func pages(
    _ query: String, _ list: String, _ next: String, _ take: (JSONValue) -> Void
  ) throws(SourceError) {
    var cursor: String?
    repeat {
      let answer = try ask(query + (cursor.map { "&cursor=\($0.percentEncoded)" } ?? ""))
      if case .array(let elements)? = answer[list] { for element in elements { take(element) } }
      let following = answer[next]?.text
      guard following != cursor || following == nil else {
        throw SourceError(message: "\(base): its pages form a loop")
      }
      cursor = following
    } while cursor != nil
  }

  private func ask(_ path: String) throws(SourceError) -> JSONValue {
    let (status, body) = try answer(to: path)
    var value: JSONValue?
    do throws(JSONError) { value = try JSONValue(parsing: body.span) } catch { value = nil }
    guard status == 200 else {
      let said = value?["error"]?["message"]?.text.map { ", \($0)" } ?? ""
      throw SourceError(
        message: "\(base + path): status \(status)\(said)\(status == 401 ? "; give --admin-token" : "")")
    }
    guard let value else { throw SourceError(message: "\(base + path): the answer is not JSON") }
    return value
  }

  private func answer(to path: String) throws(SourceError) -> (status: Int, body: [UInt8]) {
    let client: BlockingHTTPClient
    do throws(TransportError) { client = try BlockingHTTPClient(transport) } catch {
      throw SourceError(message: "\(error)")
    }
    let outcome = client.ask(base + path, headers: headers)
    if let problem = outcome.wantedConnection { throw SourceError(message: "\(base): \(problem)") }
    switch outcome {
    case .answered(let status, reason: _, let body): return (status, body)
    case .failed(_, let message): throw SourceError(message: "\(base): \(message)")
    }
  }

  private func seen(_ request: JSONValue) -> SeenRequest? {
    guard let time = request["receivedAt"]?.instant, case .integer(let sequence)? = request["sequence"],
      case .integer(let status)? = request["status"]
    else { return nil }
    // A compressed body arrives as meaningless text.
    let text = request["body"]?.text ?? ""
    let isPacked = text.hasPrefix("\u{1F}\u{FFFD}")
    let body = isPacked ? [] : Array(text.utf8)
    let whole: Int64? = if case .integer(let count)? = request["requestBytes"] { count } else { nil }
    return SeenRequest(
      place: "journal #\(sequence)", time: time, device: request["device"]?.text,
      method: request["method"]?.text ?? "", path: request["path"]?.text ?? "", status: Int(status),
      fault: request["fault"]?.text.map(SeenRequest.Fault.init(named:)), body: body,
      isCut: isPacked || !body.isEmpty && whole.map { $0 > body.count } ?? false,
      answer: Array((request["answer"]?.text ?? "").utf8))
  }
}

/// The records stored by a server, named by the URL that the user gave.
private struct ServerStore: StoreView {
  let place: String
  let listing: any StoreView

  /// A server that lists devices, but not this one, has no records of it.
  func read(_ device: String, _ take: (StoredRecord) -> Void) throws(StoreViewError) -> ListEnd {
    do throws(StoreViewError) { return try listing.read(device, take) } catch {
      if !error.isAbsence { throw error }
      return ListEnd()
    }
  }
}

extension JSONValue {
  fileprivate var text: String? { if case .string(let text) = self { text } else { nil } }
  fileprivate var instant: WallInstant? { text.flatMap { WallInstant(iso8601: $0.utf8.span) } }
}
