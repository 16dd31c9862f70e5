import AnswerCheck
package import BackendStore
import Base
import Contract
package import CurlTransport
import JSON
import Network
package import Scenario
import Shell
import Synchronization
import Threads
import Upload

/// The backend under test: its address, the form of its requests, and access to its store.
package struct ConformanceTarget: Sendable {
  /// The upload URL, with `${device.id}` for the device.
  package let url: String
  package let dialect: Dialect
  /// Nil without a description of the store.
  package let store: (any StoreView)?
  /// The same store, queried past caches; nil where it is not read over HTTP.
  let storePastCaches: (any StoreView)?
  /// The URL, with the run, of a Rolling Road server whose own list is the store; nil where the store is another.
  package let ownStore: String?
  /// The quarantine of a Rolling Road server, with `{device}` for the device.
  let quarantine: RawRequest?
  /// Where devices are created.
  let creationURL: String?
  let login: DialectLogin?
  let refreshURL: String?
  let commands: DialectCommands?
  let client: ConformanceClient
  let templates: AppTemplates
  /// The transport of phones and queries.
  var transport: TransportConfiguration { client.transport }

  /// `base` is the URL that the user gives; the token is for the administration of a Rolling Road server; the transport
  /// defines which certificates are trusted.
  package init(
    _ base: String, _ dialect: Dialect, adminToken: String?,
    over transport: TransportConfiguration = TransportConfiguration()
  ) {
    var dialect = dialect.withPromisesOfPreset
    let client = ConformanceClient(transport: transport.ofConformance)
    self.client = client
    let root = ConformanceTarget.joined(base, dialect.uploadPath)
    url = dialect.uploadPath == nil ? dialect.preset.map { $0.uploads(to: base) } ?? base : root
    let ours = dialect.preset == .rollingroad ? OwnServer(url, adminToken: adminToken) : nil
    creationURL = dialect.devices.url.map { ConformanceTarget.joined(base, $0) }
    login = dialect.login.map { ConformanceTarget.resolved($0, base) } ?? ours?.login
    refreshURL = dialect.refreshURL.map { ConformanceTarget.joined(base, $0) } ?? ours?.refreshURL
    commands = dialect.commands.map { ConformanceTarget.resolved($0, base) } ?? ours?.commands
    templates = AppTemplates(dialect)
    let described = ConformanceTarget.store(dialect.verification, base, client)
    // The list of a Rolling Road server shows whole records, and their params.
    if described == nil, ours != nil, !templates.writesLocations, dialect.promises.kept == nil {
      dialect.promises.kept = KeptField.allCases
    }
    self.dialect = dialect
    ownStore = described == nil ? ours?.base : nil
    quarantine = ours?.quarantine
    let store = described ?? ours?.store(client)
    self.store = templates.places.flatMap { places in store.map { TemplatedStore(store: $0, places: places) } } ?? store
    storePastCaches = (store as? QueriedStore)?.pastCaches
  }

  /// Whether a header field names the device.
  var namesDevicesInHeaders: Bool { fieldsOfApp.contains { $0.value.firstRange(of: "${device.id}") != nil } }

  /// The header fields that the dialect gives to every app.
  var fieldsOfApp: [NameValuePair] {
    let document = dialect.app.document
    return NameValuePair.list(document["http"]?["headers"] ?? document["headers"] ?? .null)
  }

  private static func store(
    _ verification: DialectVerification, _ base: String, _ client: ConformanceClient
  ) -> (any StoreView)? {
    guard let url = verification.url else { return verification.place.view(fields: verification.fields) }
    return QueriedStore(
      joined(base, url), headers: verification.headers, records: verification.records,
      next: verification.next.map(JSONStep.steps),
      fields: verification.fields.map { Named(name: $0.name, value: JSONStep.steps(of: $0.value)) }, client: client)
  }

  private static func resolved(_ login: DialectLogin, _ base: String) -> DialectLogin {
    var login = login
    login.url = login.url.map { joined(base, $0) }
    return login
  }

  private static func resolved(_ commands: DialectCommands, _ base: String) -> DialectCommands {
    var commands = commands
    commands.url = joined(base, commands.url)
    return commands
  }

  /// Resolves a path on the target's server.
  private static func joined(_ base: String, _ path: String?) -> String {
    guard let path else { return base }
    if URLParts(path).isHTTP { return path }
    let origin = TargetAddress(base).map { ($0.isPlain ? "http://" : "https://") + $0.authority } ?? base
    return origin + (path.hasPrefix("/") ? path : "/" + path)
  }

  /// Whether the host is loopback, by name or number: its processes are the user's own.
  package var isLocal: Bool {
    guard let host = TargetAddress(url)?.host else { return false }
    return SocketAddress.resolving(host, port: 0)?.isLoopback ?? false
  }

  package var storePlace: String? { store?.place }
}

extension Dialect {
  /// The dialect with the promises of the preset's server, where the file does not define them.
  fileprivate var withPromisesOfPreset: Dialect {
    var dialect = self
    // The server's limit, unless its configuration has another.
    if preset == .traccar { dialect.promises.newest = promises.newest ?? .seconds(86_400) }
    guard preset == .rollingroad else { return dialect }
    if promises.roots.isEmpty { dialect.promises.roots = ["locations", "."] }
    if promises.methods.isEmpty { dialect.promises.methods = ["PUT", "PATCH"] }
    dialect.promises.takesEpoch = true
    dialect.promises.takesBareRecords = true
    dialect.promises.takesJSONRefresh = true
    return dialect
  }
}

/// The known properties of a Rolling Road server without a dialect.
private struct OwnServer {
  let base: String
  let headers: [Named<String>]

  init(_ url: String, adminToken: String?) {
    base = URLParts(url).root
    headers = adminToken.map { [Named(name: HeaderName.authorization.description, value: "Bearer \($0)")] } ?? []
  }

  var login: DialectLogin {
    var login = DialectLogin()
    login.url = base + "/api/register"
    login.body =
      #"{"org":"conform","uuid":"${device.id}","device_id":"${device.id}","model":"Conformance","manufacturer":"Rolling Road","version":"18"}"#
    return login
  }

  var refreshURL: String { base + "/api/refresh_token" }

  var commands: DialectCommands {
    var commands = DialectCommands()
    commands.url = base + "/admin/v1/devices/{device}/commands"
    commands.headers = headers
    commands.body = #"{"commands":{commands}}"#
    return commands
  }

  var quarantine: RawRequest {
    RawRequest(
      "GET", base + "/admin/v1/quarantine?limit=1000&device={device}",
      headers: headers.map { NameValuePair($0.name, $0.value) })
  }

  func store(_ client: ConformanceClient) -> any StoreView {
    QueriedStore(
      base + "/admin/v1/devices/{device}/locations?format=ndjson&limit=1000",
      headers: headers, records: "$[*]", next: nil, fields: [], client: client)
  }
}

/// Sends requests that do not come from a phone.
struct ConformanceClient: Sendable {
  private static let answerBytesMax = 1 << 30

  let transport: TransportConfiguration
  /// When the run ends that asks.
  let end = QuestionEnd()
  /// How often the store may be asked.
  let limit = ListLimit()

  func ask(
    _ url: String, by method: String = "GET", headers: [NameValuePair] = [], body: [UInt8] = []
  ) -> (outcome: RequestOutcome, head: AnswerHead) {
    var configuration = transport
    configuration.answerLimit = ConformanceClient.answerBytesMax
    do throws(TransportError) {
      let transport = try DrivenTransport(configuration)
      let request = OutgoingRequest(
        id: 1, purpose: .log, method: method, url: url, headers: headers, body: body, timeout: .seconds(15))
      transport.submit(request, device: 0)
      while true {
        if let end = transport.turn(until: nil).first { return (end.outcome, AnswerHead(parsing: end.head)) }
      }
    } catch { return (.failed(.unreachable, message: "\(error)"), AnswerHead()) }
  }
}

/// From any thread; without an end until one is set.
final class QuestionEnd: Sendable {
  private let deadline = Mutex(RunDeadline())

  private let isInterrupted = AtomicFlag()

  var isOver: Bool { deadline.withLock { $0 }.isOver }

  var wasInterrupted: Bool { isInterrupted.isRaised }

  /// Reports whether there is time to wait until then, and to ask.
  func leavesTime(until instant: MonotonicInstant) -> Bool {
    !isInterrupted.isRaised && deadline.withLock { $0 }.end.map { instant + ClauseRun.answerTime < $0 } ?? true
  }

  /// Nothing is waited for any more.
  func interrupt() { isInterrupted.raise() }

  func set(_ end: MonotonicInstant?) { deadline.withLock { $0.end = end } }
}

extension TransportConfiguration {
  fileprivate var ofConformance: TransportConfiguration {
    var configuration = self
    configuration.keepsHeads = true
    configuration.readsEnvironment = true
    return configuration
  }

  /// Returns the curl flags for the same trust and protocol.
  func wordsOfCurl(for url: String) -> [String] {
    let files = [("--cacert", certificateAuthorities), ("--cert", clientCertificate), ("--key", clientKey)]
    let named = files.flatMap { flag, file in file.map { [flag, WholePath.of($0).shellWord] } ?? [] }
    let version = url.hasPrefix("https:") && httpVersion == .http1 ? ["--http1.1"] : []
    return version + named + (checksServer ? [] : ["-k"])
  }
}

extension RequestOutcome {
  /// The text for messages.
  var text: String {
    switch self {
    case .answered(let status, reason: _, let body):
      let start = String(decoding: body.prefix(120), as: UTF8.self).filter { !$0.isNewline }
      return "status \(status)" + (start.isEmpty ? "" : ": \(start)")
    case .failed(_, let message): return message
    }
  }

  /// Describes the end of a request: "answered with status 500", "not answered: timed out".
  func answer(_ length: Int) -> String {
    if case .failed(_, let message) = self { return "not answered: \(message.shortened(length))" }
    return "answered with \(text.shortened(length))"
  }
}
