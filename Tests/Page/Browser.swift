import FoundationEssentials
import Glibc
import JSON
import Support
import Testing

/// A headless Chromium, spoken to over a pipe in its DevTools protocol: messages of JSON, each with a zero behind it. It ends
/// when the pipe does, with the process of the tests at the latest. One test at a time has it.
final class Browser: @unchecked Sendable {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// Where the browser is; nil when there is none. The one without windows takes three quarters of the processor time.
  static let program: String? = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"].lazy
    .flatMap { name in (environment("PATH") ?? "").split(separator: ":").map { "\($0)/\(name)" } }
    .first { unsafe access($0, X_OK) == 0 }

  /// Without a browser these tests are skipped, unless they are asked for: then they fail.
  static let isWanted = program != nil || environment("BROWSER_TESTS") == "1"

  /// Why they are skipped.
  static let remedy: Comment = "there is no chromium on the PATH; these tests are for one"

  private static func environment(_ name: String) -> String? {
    unsafe getenv(name).map { unsafe String(cString: $0) }
  }

  /// Longer than the longest wait of a page (`BrowserPage.wait`).
  private static let patienceMilliseconds: Int32 = 180_000

  private let profile: String
  private let child: ChildProcess
  private let output: Int32
  private let input: Int32
  private var pending: [UInt8] = []
  private var lastNumber: Int64 = 0
  private var openTab: String?
  /// What the browser told without being asked.
  private(set) var events: [JSONValue] = []

  init() throws {
    guard let program = Browser.program else {
      throw Failure(description: "there is no chromium on the PATH: apt-get install chromium-headless-shell")
    }
    var template = Array(("/tmp/rollingroad-browser-" + String(repeating: "X", count: 6)).utf8CString)
    guard unsafe mkdtemp(&template) != nil else { throw Failure(description: "mkdtemp: errno \(errno)") }
    profile = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let (theirInput, ourOutput) = try Browser.pipe()
    let (ourInput, theirOutput) = try Browser.pipe()
    (output, input) = (ourOutput, ourInput)
    defer {
      _ = close(theirInput)
      _ = close(theirOutput)
    }
    // The protocol's places; the browser reads commands from the one and writes answers to the other.
    let words = [program, "--headless=new", "--remote-debugging-pipe", "--user-data-dir=\(profile)"] + Browser.flags
    child = try ChildProcess(words, places: [3: theirInput, 4: theirOutput])
  }

  /// Tests often run as root and in containers, where its own sandbox cannot be; it opens nothing but our page. One renderer has
  /// all pages, one after the other: servers are on ports of their own, and each origin would have a process of its own.
  private static let flags = [
    "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--lang=en-US",
    "--disable-site-isolation-trials", "--renderer-process-limit=1",
    "--disable-features=SpareRendererForSitePerProcess,IsolateOrigins,site-per-process,OriginKeyedProcessesByDefault,BackForwardCache",
    "about:blank",
  ]

  /// Both ends are far from the places that the browser expects, and are closed in it.
  private static func pipe() throws -> (read: Int32, write: Int32) {
    var ends: [Int32] = [0, 0]
    guard unsafe Glibc.pipe(&ends) == 0 else { throw Failure(description: "pipe: errno \(errno)") }
    let moved = ends.map { fcntl($0, F_DUPFD_CLOEXEC, 20) }
    for end in ends { _ = close(end) }
    return (moved[0], moved[1])
  }

  deinit {
    end()
    _ = close(output)
    _ = close(input)
    child.signal(SIGKILL)
    _ = child.exitCode()
    do { try FileManager.default.removeItem(atPath: profile) } catch {}
  }

  /// A browser that is told to close ends its processes first and its pipe last: afterwards nothing is written into the profile.
  private func end() {
    do {
      try call("Browser.close")
      while true { _ = try receive() }
    } catch {}
  }

  /// Sends a command and waits for its answer.
  @discardableResult
  func call(_ method: String, _ parameters: JSONObject = [:], session: String? = nil) throws -> JSONValue {
    lastNumber += 1
    var message: JSONObject = [
      "id": .integer(lastNumber), "method": .string(method), "params": .object(parameters),
    ]
    if let session { message["sessionId"] = .string(session) }
    let bytes = Array(JSONValue.object(message).text.utf8) + [0]
    var sent = 0
    while sent < bytes.count {
      let count = unsafe bytes[sent...].withUnsafeBytes { unsafe write(output, $0.baseAddress, $0.count) }
      guard count > 0 else { throw Failure(description: "\(method): the browser is gone") }
      sent += count
    }
    while true {
      let answer = try receive()
      guard answer["id"] == .integer(lastNumber) else {
        if answer["method"] != nil { events.append(answer) }
        continue
      }
      if let error = answer["error"] { throw Failure(description: "\(method): \(error["message"]?.string ?? "")") }
      return answer["result"] ?? .null
    }
  }

  /// The session of the one tab, whose pages count what their policy has blocked.
  func tab() throws -> String {
    if let openTab { return openTab }
    let target = try call("Target.createTarget", ["url": "about:blank"])["targetId"]
    let answer = try call("Target.attachToTarget", ["targetId": target ?? .null, "flatten": .bool(true)])
    guard let session = answer["sessionId"]?.string else { throw Failure(description: "the browser opens no tab") }
    for domain in ["Page", "Runtime", "Log"] { try call("\(domain).enable", session: session) }
    let script =
      "window.violations = []; addEventListener('securitypolicyviolation', event => violations.push(event.blockedURI + ' ' + event.violatedDirective))"
    try call("Page.addScriptToEvaluateOnNewDocument", ["source": .string(script)], session: session)
    openTab = session
    return session
  }

  func forgetEvents() { events.removeAll() }

  private func receive() throws -> JSONValue {
    while true {
      if let end = pending.firstIndex(of: 0) {
        defer { pending.removeFirst(end + 1) }
        return try JSONValue(parsing: Array(pending[..<end]).span)
      }
      var readiness = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
      guard unsafe poll(&readiness, 1, Browser.patienceMilliseconds) > 0 else {
        throw Failure(description: "the browser does not answer")
      }
      var piece = [UInt8](repeating: 0, count: 65_536)
      let count = unsafe read(input, &piece, piece.count)
      guard count > 0 else { throw Failure(description: "the browser has ended") }
      pending += piece[..<count]
    }
  }
}
