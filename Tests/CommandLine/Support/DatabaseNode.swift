import Glibc
import JSON
import Support
import Testing

/// `rollingroad serve` as a process of its own, mostly on a database.
final class DatabaseNode {
  private let child: SpokenChild
  let port: UInt16

  /// `commands` are the shell's before it becomes the server.
  convenience init(_ flags: [String], behind commands: String) throws {
    let words = [BuiltProgram.path(of: "rollingroad"), "serve", "--listen", "127.0.0.1:0", "--loops", "1"] + flags
    try self.init(SpokenChild(["sh", "-c", "\(commands); exec \"$@\"", "sh"] + words))
  }

  convenience init(_ flags: [String]) throws { try self.init(DatabaseNode.start(flags)) }

  private init(_ child: SpokenChild) throws {
    self.child = child
    let url = try child.line(beginningWith: "listening ")
    port = try #require(url.split(separator: ":").last.flatMap { UInt16($0) })
  }

  static func start(_ flags: [String]) throws(ChildProcess.Failure) -> SpokenChild {
    try SpokenChild(
      [BuiltProgram.path(of: "rollingroad"), "serve", "--listen", "127.0.0.1:0", "--loops", "1"] + flags)
  }

  func killAtOnce() {
    child.process.signal(SIGKILL)
    _ = child.process.exitCode()
  }

  /// Gives its exit code.
  @discardableResult func stop() -> Int32 {
    child.process.signal(SIGTERM)
    return child.finish()
  }

  /// A request that is sent. Its answer comes when it is asked for.
  struct Call {
    fileprivate let client: LoopbackClient

    func answer() throws -> (status: Int, body: JSONValue) {
      let text = Array(try client.receiveToEnd().text.utf8)
      let status = try #require(Int(String(decoding: text.dropFirst(9).prefix(3), as: UTF8.self)))
      let gap = Array("\r\n\r\n".utf8)
      let end = try #require(text.indices.first { text[$0...].starts(with: gap) })
      return (status, try JSONValue(parsing: Array(text[(end + gap.count)...]).span))
    }
  }

  func send(_ method: String, _ path: String, _ body: String = "", token: String? = nil) throws -> Call {
    let client = try LoopbackClient(port: port)
    let length = body.utf8.count
    let authorization = token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
    try client.send(
      "\(method) \(path) HTTP/1.0\r\nHost: 127.0.0.1\r\nConnection: close\r\n\(authorization)"
        + "Content-Length: \(length)\r\n\r\n\(body)")
    return Call(client: client)
  }

  func ask(_ method: String, _ path: String, _ body: String = "") throws -> JSONValue {
    try send(method, path, body).answer().body
  }

  static func uuid(_ number: Int) -> String {
    "3f2504e0-4f89-41d3-9a0c-0305e82c" + String(number + 0x1000, radix: 16)
  }

  /// Uploads the records with these numbers.
  func upload(_ numbers: ClosedRange<Int>, of device: String, token: String? = nil) throws -> Call {
    let records = numbers.map { number in
      let minute = number < 10 ? "0\(number)" : "\(number)"
      return
        #"{"uuid":"\#(Self.uuid(number))","timestamp":"2026-11-20T12:\#(minute):00.000Z","coords":{"latitude":1,"longitude":\#(number)}}"#
    }
    let body = #"{"device_id":"\#(device)","location":[\#(records.joined(separator: ","))]}"#
    return try send("POST", "/locations", body, token: token)
  }

  /// Of the stored records, in their order.
  func uuids(of device: String) throws -> [String] {
    let answer = try ask("GET", "/admin/v1/devices/\(device)/locations?limit=1000")
    return (answer["locations"]?.elements ?? []).compactMap { $0["uuid"]?.string }
  }
}
