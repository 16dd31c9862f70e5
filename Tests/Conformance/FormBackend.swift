import Base
import Scenario
import Support
import Synchronization

@testable import BackendStore
@testable import Conformance

/// A small backend that takes uploads in the forms of one app alone, and lists them page by page.
final class FormBackend: Sendable {
  struct Rules: Sendable {
    /// Of bodies: an object or a list under the root.
    var (takesLists, takesObjects) = (true, true)
    /// Records of a request.
    var limit = Int.max
    /// The device is looked for in the extras of each record, and taken out of them.
    var isDeviceInExtras = false
    /// The only one that is taken.
    var contentType = "application/json"
    /// Entries of a page; nil for a list without pages.
    var page: Int?
    /// Where the next page stands in an answer, `{"paging":{"next":…}}` or `{"next":…}`.
    var isNextNested = false
    /// The next page begins behind the time of the last record of a page, not behind that record.
    var pagesByTime = false
    /// The newest so many are kept; those that were dropped are still known.
    var keeps = Int.max
    /// Milliseconds of an access token; nil where none is needed.
    var tokenLife: Int64?
    /// What comes without a good token is answered 401, and stored.
    var storesRefused = false
    /// What a login is answered, with % for a number that no other answer has; nil for tokens.
    var login: String?
    /// A token is refreshed with an answer in which the SDK finds none.
    var hidesNewTokens = false
    /// A position that is far from the one before it is not stored.
    var dropsJumps = false
    /// A list shows times as a database does whose columns have no zone.
    var showsZones = true
    /// What comes again is stored again, until a list has shown it.
    var mergesRepeats = false
    /// `Expect` is refused with 417.
    var refusesExpect = false
    /// Ends of the names of devices whose records are lost.
    var losesOf: [String] = []
    /// A list that was asked for is answered as it was then, whatever has come since.
    var cachesLists = false
    /// A request or a login of a device that was not created is refused, and each that has no name of this form.
    var names: DeviceNameForm?
    /// The commands that can be queued.
    var queues: Set<String> = []
  }

  private struct Entry {
    let time: Int64
    let text: String
    let latitude: Double
  }

  private struct Device {
    var entries: [Entry] = [] { didSet { list = nil } }
    var known: Set<String> = []
    var commands: [String] = []
    /// The newest first; nil when the entries have changed since.
    private var list: [Entry]?

    /// What a list of it shows. A list of many pages is sorted once.
    mutating func newestFirst() -> [Entry] {
      let sorted = list ?? entries.sorted { $0.time > $1.time }
      list = sorted
      return sorted
    }
  }

  private let rules: Rules
  private let devices = Mutex<[String: Device]>([:])
  private let logins = Atomic(0)
  /// By the end of its URL.
  private let created = Mutex<[String]>([])
  private let cache = Mutex<[String: String]>([:])

  init(_ rules: Rules = Rules()) { self.rules = rules }

  /// `http` are more keys of the app's http group, `persistence` the keys of that group.
  static func dialect(
    http: String = "", persistence: String = "", verify: String = "", tokens: String = "none",
    login: String = #"url: "/login""#, more: String = ""
  ) -> String {
    let cursor = verify.contains("next:") ? "&after={cursor}" : ""
    return """
      {
        version: 1, path: "/points",
        app: { http: { params: { device_id: "${device.id}" }, \(http) }, persistence: { \(persistence) } },
        verify: { url: "/stored?device={device}\(cursor)", records: "$.points[*]", \(verify) },
        login: { \(login) }, refresh: "/login", \(more)
        promises: { tokens: "\(tokens)", keeps: ["event", "extras"] },
      }
      """
  }

  func summary(
    of clauses: Set<String>, dialect: String, idleTime: Nanoseconds = .milliseconds(7_500),
    timeAway: Nanoseconds = .seconds(10)
  ) throws -> ConformanceSummary {
    let server = try BareServer { self.respond(to: $0) }
    let target = ConformanceTarget(
      "http://127.0.0.1:\(server.port)", try DialectReader().read(dialect), adminToken: nil)
    var settings = ConformanceRun.Settings(seed: 7, start: SystemClock().wallNow)
    (settings.only, settings.idleTime, settings.timeAway) = (clauses, idleTime, timeAway)
    return ConformanceSummary(ConformanceRun(target, settings).run { _, _ in }, of: target, settings, seconds: 1)
  }

  private func answer(_ status: Int, _ body: String = "{}") -> BareServer.Answer {
    .text(
      "HTTP/1.1 \(status) X\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
  }

  private func respond(to request: BareServer.Request) -> BareServer.Answer {
    let line = request.lines[0].split(separator: " ")
    let (method, path) = (line[0], line.count > 1 ? String(line[1]) : "/")
    if method == "GET", path.hasPrefix("/stored?device=") {
      let text = list(path.dropFirst(15))
      return .ok(rules.cachesLists ? cache.withLock { $0.insert(text, for: path) } : text)
    }
    if path.hasPrefix("/devices/") { return create(path.dropFirst(9), request) }
    if path.hasPrefix("/commands/") { return queue(request.body, for: path.dropFirst(10)) }
    if path == "/login", rules.names != nil, let device = StoredValue(request.body)?["device"]?.string,
      !created.withLock({ $0.contains(device) })
    {
      return answer(403)
    }
    let now = SystemClock().wallNow.millisecondsSince1970
    if path == "/login", let login = rules.login {
      return answer(200, login.replacing("%", with: "\(logins.add(1, ordering: .relaxed).newValue)"))
    }
    if path == "/login", rules.hidesNewTokens, String(decoding: request.body, as: UTF8.self).contains("refresh_token") {
      return answer(200, #"{"data":[{"access_token":"a"}]}"#)
    }
    if path == "/login", let life = rules.tokenLife {
      let tokens = #""access_token":"until-\#(now + life)","refresh_token":"again","expires_in":\#(life / 1_000)"#
      return answer(200, "{\(tokens)}")
    }
    guard method == "POST", path == "/points" else { return answer(404) }
    let end = request.values(of: "authorization").first.flatMap { Int64($0.dropFirst("Bearer until-".count)) }
    let isRefused = rules.tokenLife != nil && end ?? 0 < now
    if isRefused, !rules.storesRefused { return answer(401) }
    if rules.refusesExpect, !request.values(of: "expect").isEmpty { return answer(417) }
    guard request.values(of: "content-type") == [rules.contentType] else { return answer(415) }
    guard let body = StoredValue(request.body), let root = body["location"] else { return answer(400) }
    var records = [root]
    if case .list(let list) = root {
      if !rules.takesLists { return answer(422) }
      records = list
    } else if !rules.takesObjects {
      return answer(422)
    }
    if records.count > rules.limit { return answer(413) }
    let named = body["device_id"]?.string
    if rules.names != nil, !created.withLock({ $0.contains(named ?? "") }) { return answer(422) }
    return devices.withLock { devices in
      for record in records { take(record, named, into: &devices) }
      let commands = (devices[named ?? ""]?.commands ?? []).joined(separator: ",")
      devices[named ?? ""]?.commands = []
      return answer(
        isRefused ? 401 : 200, commands.isEmpty ? "{}" : "{\"background_geolocation\":[\(commands)]}")
    }
  }

  /// A device that exists is refused, as is a name of another form.
  private func create(_ name: Substring, _ request: BareServer.Request) -> BareServer.Answer {
    guard String(decoding: request.body, as: UTF8.self) == "{\"name\":\"\(name)\"}" else { return answer(400) }
    let isOfForm =
      switch rules.names {
      case .uuid: UUID128(text: Array(name.utf8).span) != nil
      case .digits: name.utf8.count == 15 && name.allSatisfy(\.isNumber)
      case .text, nil: true
      }
    return created.withLock { created in
      guard isOfForm, !created.contains(String(name)) else { return answer(409) }
      created.append(String(name))
      return answer(201)
    }
  }

  private func queue(_ command: [UInt8], for device: Substring) -> BareServer.Answer {
    guard case .list(let parts)? = StoredValue(command), let name = parts.first?.string, rules.queues.contains(name)
    else { return answer(422) }
    devices.withLock { $0[String(device), default: Device()].commands.append(String(decoding: command, as: UTF8.self)) }
    return answer(201)
  }

  private func take(_ record: StoredValue, _ named: String?, into devices: inout [String: Device]) {
    var (record, device) = (record, named)
    if rules.isDeviceInExtras {
      device = record["extras"]?["device_id"]?.string
      record = record.replacing("extras", record["extras"]?.replacing("device_id", nil))
    }
    guard let uuid = record["uuid"]?.string, let time = record["timestamp"]?.instant, let device else { return }
    if rules.losesOf.contains(where: device.hasSuffix) { return }
    let isNew = devices[device, default: Device()].known.insert(uuid).inserted
    guard isNew || rules.mergesRepeats else { return }
    let latitude = record.value(at: "coords.latitude")?.double ?? 0
    let last = devices[device]?.entries.last?.latitude ?? latitude
    if rules.dropsJumps, abs(last - latitude) > 0.5 { return }
    devices[device]?.entries.append(Entry(time: time.millisecondsSince1970, text: record.shown, latitude: latitude))
    if devices[device]?.entries.count ?? 0 > rules.keeps { devices[device]?.entries.removeFirst() }
  }

  private func list(_ question: Substring) -> String {
    let asked = question.split(separator: "&rollingroad=", omittingEmptySubsequences: false)[0]
    let parts = asked.split(separator: "&after=")
    let device = parts.first.flatMap { $0.removingPercentEncoding } ?? ""
    let after = parts.count > 1 ? Int64(parts[1]) : nil
    let all = devices.withLock { devices in
      let all = devices[device]?.newestFirst() ?? []
      var seen: Set<String> = []
      if rules.mergesRepeats { devices[device]?.entries.removeAll { !seen.insert($0.text).inserted } }
      return all
    }
    guard let page = rules.page else { return text(of: all[...], next: nil) }
    let start = after.map { after in
      rules.pagesByTime ? all.firstIndex { $0.time < after } ?? all.count : Int(after)
    }
    let shown = all.dropFirst(start ?? 0).prefix(page)
    let rest = all.count - shown.endIndex
    let next = rules.pagesByTime ? shown.last.map(\.time) : Int64(shown.endIndex)
    return text(of: shown, next: rest > 0 ? next : nil)
  }

  private func text(of entries: ArraySlice<Entry>, next: Int64?) -> String {
    let next = "\"next\":\(next.map { "\"\($0)\"" } ?? "null")"
    let end = rules.isNextNested ? "\"paging\":{\(next)}" : next
    let points = entries.map(\.text).joined(separator: ",")
    return "{\"points\":[\(rules.showsZones ? points : points.replacing("Z\"", with: "\""))],\(end)}"
  }
}

extension [String: String] {
  /// What was there first.
  fileprivate mutating func insert(_ text: String, for path: String) -> String {
    let kept = self[path, default: text]
    self[path] = kept
    return kept
  }
}
