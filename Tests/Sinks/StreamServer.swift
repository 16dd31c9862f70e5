import Base
import Glibc
import JSON
import Support
import TLS
import Testing

@testable import Sinks

/// A server of NATS as a child, with a stream of the subjects `road.>`, and the little of its protocol that reading takes.
final class StreamServer {
  private(set) var port: UInt16
  private var child: ChildProcess
  private let folder: TemporaryFolder
  /// Also for other threads.
  let client: StreamClient
  private var isKilled = false

  static let isInstalled = NATSConnection.isLibraryThere && program != nil

  private static let program = ["/usr/sbin", "/usr/bin", "/usr/local/bin"].map { $0 + "/nats-server" }
    .first { unsafe access($0, X_OK) == 0 }

  /// With an authority it speaks TLS, which `client` does not.
  init(maxMessage: Int = -1, token: String? = nil, authority: DevelopmentAuthority? = nil) throws {
    folder = try TemporaryFolder()
    let login = token.map { ["--auth", $0] } ?? []
    (child, port) = try Self.start(in: folder, login)
    client = StreamClient(port: port, token: token)
    let storage = authority == nil ? "memory" : "file"
    _ = try ask(
      "$JS.API.STREAM.CREATE.ROAD",
      #"{"name":"ROAD","subjects":["road.>"],"storage":"\#(storage)","max_msg_size":\#(maxMessage)}"#)
    guard let authority else { return }
    try authority.prepare()
    child.signal(SIGTERM)
    _ = child.exitCode()
    let server = authority.files.pairs[0]
    (child, port) = try Self.start(
      in: folder, login + ["--tls", "--tlscert", server.certificate, "--tlskey", server.key])
  }

  private static func start(in folder: TemporaryFolder, _ words: [String]) throws -> (ChildProcess, UInt16) {
    let ports = try TemporaryFolder()
    let child = try ChildProcess(
      [
        try #require(program), "-a", "127.0.0.1", "-p", "-1", "-js", "-sd", folder.file("js"), "--ports_file_dir",
        ports.path, "-l", folder.file("log"),
      ] + words)
    return (child, try port(in: ports, of: child))
  }

  deinit { kill() }

  func kill() {
    guard !isKilled else { return }
    isKilled = true
    child.signal(SIGKILL)
    _ = child.exitCode()
  }

  /// The server writes the file when it listens.
  private static func port(in folder: TemporaryFolder, of child: ChildProcess) throws -> UInt16 {
    while true {
      if let name = folder.names(in: "").first(where: { $0.hasSuffix(".ports") }) {
        let text = String(decoding: try folder.read(name), as: UTF8.self)
        if let url = text.firstRange(of: "://127.0.0.1:"),
          let port = UInt16(text[url.upperBound...].prefix { $0.isNumber })
        {
          return port
        }
      }
      try #require(!child.endedByItself(), "nats-server has ended")
      sched_yield()
    }
  }

  @discardableResult
  func ask(_ subject: String, _ body: String = "") throws -> JSONValue { try client.ask(subject, body) }

  func lastSequence() throws -> Int64 {
    guard case .integer(let last)? = try ask("$JS.API.STREAM.INFO.ROAD")["state"]?["last_seq"] else { return -1 }
    return last
  }

  /// Subject, headers and body of each message, in the order of the stream.
  private func messages() throws -> [(subject: String, head: String, body: String)] {
    try (0..<max(0, lastSequence())).map { number in
      let message = try #require(try ask("$JS.API.STREAM.MSG.GET.ROAD", #"{"seq":\#(number + 1)}"#)["message"])
      let text = { (key: String) throws in
        let packed = message[key]?.string ?? ""
        return String(decoding: try #require(Base64.bytes(packed)), as: UTF8.self)
      }
      return (message["subject"]?.string ?? "", try text("hdrs"), try text("data"))
    }
  }

  /// Headers and body of the message with this id.
  func message(_ id: String) throws -> String {
    let found = try messages().filter { $0.head.contains("Nats-Msg-Id: \(id)\r\n") }
    #expect(found.count == 1)
    return (found.first?.head ?? "") + (found.first?.body ?? "")
  }

  /// Those of the records of a subject, in the order of the stream.
  func numbers(of subject: String) throws -> [Int] {
    try messages().filter { $0.subject == subject }.compactMap { message in
      guard let key = message.body.firstRange(of: #""odometer":"#) else { return nil }
      return Int(message.body[key.upperBound...].prefix { $0.isNumber })
    }
  }
}

/// Asks a server of NATS.
struct StreamClient: Sendable {
  let port: UInt16
  let token: String?

  /// One question over a connection of its own.
  func ask(_ subject: String, _ body: String = "") throws -> JSONValue {
    let client = try LoopbackClient(port: port)
    let login = token.map { #","auth_token":"\#($0)""# } ?? ""
    try client.send(
      "CONNECT {\"verbose\":false\(login)}\r\nSUB in 1\r\nPUB \(subject) in \(body.utf8.count)\r\n\(body)\r\n")
    var text = ""
    while true {
      let some = try client.receiveSome(atMost: 65_536)
      try #require(!some.isEmpty, "nats-server has ended the connection: \(text)")
      text += String(decoding: some, as: UTF8.self)
      guard let line = text.firstRange(of: "MSG in 1 "), let end = text[line.upperBound...].firstRange(of: "\r\n")
      else {
        continue
      }
      let count = try #require(
        text[line.upperBound..<end.lowerBound].split(separator: " ").last.flatMap { Int($0) })
      let rest = Array(text[end.upperBound...].utf8)
      if rest.count >= count { return try JSONValue(parsing: Array(rest.prefix(count)).span) }
    }
  }

  /// Puts a message into the stream, which has no id by which a repetition is known.
  func publish(_ subject: String, _ body: String) throws {
    let answer = try ask(subject, body)
    try #require(answer["seq"] != nil, "\(answer)")
  }
}
