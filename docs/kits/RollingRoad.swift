// Rolling Road for Swift Testing: copy this file into your test target.
//
//   @Test(.rollingRoad) func anUploadArrives() async throws {
//     try await myApp.upload(to: Road.current.url + "/locations")
//     try await Road.current.wait(["device": "phone-1", "atLeast": 1])
//   }
//
// The server is the one of ROLLINGROAD_URL, or one that is started for the process: the image of ROLLINGROAD_IMAGE, or the
// executable of ROLLINGROAD, or `rollingroad` in the PATH. ROLLINGROAD_ADMIN_TOKEN is its token. Each test has a run of its own, so
// that tests in parallel see nothing of each other. Swift 6.1 or newer; nothing but Foundation and Testing.
import Foundation
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What the server says of a failed wait or check; `reasons` are its near misses.
struct RoadError: Error, CustomStringConvertible {
  let status: Int
  let code: String
  let message: String
  let reasons: [String]

  var description: String { (["\(message) (\(status))"] + reasons).joined(separator: "\n  - ") }

  init(status: Int, answer: Data) {
    self.status = status
    let body = try? JSONSerialization.jsonObject(with: answer) as? [String: Any]
    let error = body?["error"] as? [String: Any]
    let reasons = RoadError.reasons(error?["detail"] as? [String: Any])
    let message = error?["message"] as? String ?? String(decoding: answer.prefix(500), as: UTF8.self)
    // It ends with the first of the near misses.
    let end = reasons.first.flatMap { message.range(of: "; \($0)")?.lowerBound } ?? message.endIndex
    code = error?["code"] as? String ?? ""
    self.message = String(message[..<end])
    self.reasons = reasons
  }

  init(missing: Int, _ answer: [String: Any]) {
    status = 409
    code = ""
    message = "\(missing) of \(answer["asked"] ?? 0) records are missing"
    reasons = RoadError.reasons(answer)
  }

  private static func reasons(_ detail: [String: Any]?) -> [String] {
    (detail?["reasons"] as? [[String: Any]] ?? []).compactMap { $0["message"] as? String }
  }
}

/// One run on a server. Let the app upload to `url` + "/locations".
struct Road: Sendable {
  /// The run of the test at hand.
  @TaskLocal static var current = Road(server: "http://test.without.trait.rollingRoad.invalid", token: nil)

  let url: String
  let name: String
  private let token: String?

  init(server: String, token: String?, name: String = "test-\(UUID().uuidString.lowercased())") {
    self.token = token
    self.name = name
    url = "\(server)/r/\(Road.encoded(name))"
  }

  /// Until what is expected is there; the keys are those of POST await: device, atLeast, exactly, of, where, inOrder, …
  @discardableResult
  func wait(_ expected: [String: Any] = [:]) async throws -> [String: Any] {
    var body = expected
    if body["timeout"] == nil { body["timeout"] = "10s" }
    if body["grace"] == nil, body["uuids"] == nil { body["grace"] = "1s" }
    return try await object("POST", "await", body)
  }

  /// Nothing of the kind may be there, or come within this time.
  func never(_ expected: [String: Any] = [:], within milliseconds: Int = 1_000) async throws {
    let holding: [String: Any] = ["exactly": 0, "holds": "\(milliseconds)ms", "timeout": "\(milliseconds + 10_000)ms"]
    try await wait(expected.merging(holding) { said, _ in said })
  }

  /// One expectation after the other.
  @discardableResult
  func inOrder(_ steps: [String: Any]...) async throws -> [String: Any] { try await wait(["inOrder": steps]) }

  /// What is there now; records whose uuids are named have to be stored.
  @discardableResult
  func verify(_ expected: [String: Any]) async throws -> [String: Any] {
    let answer = try await object("POST", "verify", expected)
    if let missing = answer["missing"] as? Int, missing > 0 { throw RoadError(missing: missing, answer) }
    return answer
  }

  /// Rules such as ["fault": ["kind": "status", "status": 503], "match": ["count": 2]], for this run.
  func faults(_ rules: [String: Any]...) async throws {
    let named = rules.enumerated().map { index, rule in rule.merging(["id": "fault-\(index + 1)"]) { said, _ in said } }
    _ = try await object("PUT", "faults", ["faults": named])
  }

  /// Queues commands such as ["changePace", true]; they go out with the next answer to the device.
  @discardableResult
  func command(_ device: String, _ commands: [Any]...) async throws -> [String: Any] {
    try await object("POST", "devices/\(Road.encoded(device))/commands", ["commands": commands])
  }

  func expireTokens(of device: String) async throws {
    _ = try await object("POST", "tokens/expire", ["device": device])
  }

  /// The records of a device, one JSON text on each line; none of a device that has stored nothing.
  func records(of device: String) async throws -> Data {
    do {
      return try await send("GET", "devices/\(Road.encoded(device))/locations?format=ndjson")
    } catch let error as RoadError where error.code == "unknown_device" {
      return Data()
    }
  }

  /// What devices sent, from the journal, one JSON text on each line; the query is that of GET requests.
  func requests(_ query: String = "") async throws -> Data { try await send("GET", "requests?format=ndjson&\(query)") }

  /// The requests of this run as HTTP Archive, for a file beside a failed test.
  func har() async throws -> Data { try await send("GET", "requests?format=har") }

  /// Forgets the run: records, requests, commands and faults.
  func reset() async throws {
    _ = try await send("DELETE", "faults")
    _ = try await send("POST", "reset")
  }

  private func object(_ method: String, _ path: String, _ body: [String: Any]) async throws -> [String: Any] {
    let data = try await send(method, path, try JSONSerialization.data(withJSONObject: body))
    return try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
  }

  private func send(_ method: String, _ path: String, _ body: Data? = nil) async throws -> Data {
    guard let address = URL(string: "\(url)/admin/v1/\(path)") else { throw URLError(.badURL) }
    var request = URLRequest(url: address, timeoutInterval: 24 * 3_600)
    request.httpMethod = method
    request.httpBody = body
    if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
    let (data, answer) = try await Road.session.data(for: request)
    let status = (answer as? HTTPURLResponse)?.statusCode ?? 0
    guard (200..<300).contains(status) else { throw RoadError(status: status, answer: data) }
    return data
  }

  private static func encoded(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(CharacterSet(charactersIn: "-._~"))) ?? text
  }

  /// Tests wait side by side: none for a connection of another.
  private static let session: URLSession = {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpMaximumConnectionsPerHost = 1_000
    return URLSession(configuration: configuration)
  }()
}

/// Gives a test, or each test of a suite, a run of its own that is forgotten after it.
struct RollingRoadTrait: TestTrait, SuiteTrait, TestScoping {
  let isRecursive = true

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    guard testCase != nil else { return try await function() }
    let (url, token) = try await RoadServer.shared.address()
    let road = Road(server: url, token: token)
    let result = await Result(catching: { () async throws -> Void in
      try await Road.$current.withValue(road) { try await function() }
    })
    try await road.reset()
    try result.get()
  }
}

extension Trait where Self == RollingRoadTrait {
  static var rollingRoad: Self { RollingRoadTrait() }
}

extension Result where Failure == any Error, Success: Sendable {
  fileprivate init(catching body: () async throws -> Success) async {
    do { self = .success(try await body()) } catch { self = .failure(error) }
  }
}

/// The server of the process; one that was started here ends with it.
private actor RoadServer {
  static let shared = RoadServer()
  private var known: (url: String, token: String?)?

  func address() throws -> (String, String?) {
    if let known { return known }
    let environment = ProcessInfo.processInfo.environment
    let token = environment["ROLLINGROAD_ADMIN_TOKEN"]
    if let url = environment["ROLLINGROAD_URL"] {
      known = (url, token)
    } else if let image = environment["ROLLINGROAD_IMAGE"] {
      known = try RoadServer.startContainer(image, token ?? UUID().uuidString, environment)
    } else {
      known = (try RoadServer.startProgram(environment), nil)
    }
    return try address()
  }

  /// The server reads the end of its input when this process has ended, however that was, and then the shell ends it. The
  /// shell closes its own output: that of a program that does not start ends.
  private static func startProgram(_ environment: [String: String]) throws -> String {
    let program = environment["ROLLINGROAD"] ?? "rollingroad"
    let script = #""$0" serve --listen 127.0.0.1:0 --data :memory: 2>/dev/null & exec >&-; read -r _; kill $!"#
    let (process, output, input) = (Process(), Pipe(), Pipe())
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", script, program]
    process.environment = environment.filter { !$0.key.hasPrefix("ROLLINGROAD_") }
    process.standardOutput = output
    process.standardInput = input
    try process.run()
    held = (process, input)
    var line = Data()
    while true {
      let byte = output.fileHandleForReading.readData(ofLength: 1)
      if byte.isEmpty || byte[0] == 0x0A { break }
      line += byte
    }
    let words = String(decoding: line, as: UTF8.self).split(separator: " ")
    guard words.count == 2, words[0] == "listening" else {
      let isNamed = environment["ROLLINGROAD"] != nil
      let named = isNamed ? "ROLLINGROAD=\(program)" : "\(program), as ROLLINGROAD is not set,"
      throw RoadError(status: 0, answer: Data("\(named) did not start".utf8))
    }
    return String(words[1])
  }

  nonisolated(unsafe) private static var held: (Process, Pipe)?

  private static func startContainer(
    _ image: String, _ token: String, _ environment: [String: String]
  ) throws -> (String, String?) {
    let engine = environment["ROLLINGROAD_ENGINE"] ?? "docker"
    let name = "rollingroad-\(UUID().uuidString.prefix(13).lowercased())"
    try run([
      engine, "run", "--detach", "--rm", "--name", name, "--publish", "127.0.0.1::8080", "--env",
      "ROLLINGROAD_ADMIN_TOKEN=\(token)", "--env", "ROLLINGROAD_DATA=:memory:", image,
    ])
    let port = try run([engine, "port", name, "8080"]).split(separator: "\n").first?.split(separator: ":").last ?? ""
    let url = "http://127.0.0.1:\(port)"
    ending = [engine, "rm", "--force", name]
    atexit { RoadServer.ending.map { _ = try? RoadServer.run($0) } }
    for _ in 0..<300 {
      if (try? Data(contentsOf: URL(string: "\(url)/readyz") ?? URL(fileURLWithPath: "/"))) != nil {
        return (url, token)
      }
      Thread.sleep(forTimeInterval: 0.1)
    }
    throw RoadError(status: 0, answer: Data("no server at \(url)".utf8))
  }

  nonisolated(unsafe) private static var ending: [String]?

  @discardableResult
  private static func run(_ words: [String]) throws -> String {
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = words
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw RoadError(status: 0, answer: Data("\(words.joined(separator: " ")) failed".utf8))
    }
    return text
  }
}
