import Base
import Contract
import HTTP1
import JSON
import Network
import Support
import Synchronization
import Upload
import Vocabulary

@testable import IngestServer
@testable import Store

/// Our own server in this process, with a store in memory.
final class LocalServer {
  private let connection: InProcessConnection
  private let start = MonotonicInstant(nanoseconds: 1_000_000_000)
  private var wall = WallInstant(millisecondsSince1970: 1_785_263_663_000)

  init(_ configure: (inout ServerConfiguration) -> Void = { _ in }) throws {
    connection = InProcessServer(store: try SQLiteStore(StoreConfiguration(folder: ":memory:")), configure).connect()
  }

  /// A device's request, as the transport would send it.
  func answer(_ request: OutgoingRequest, at now: Moment) throws -> RequestOutcome {
    wall = now.wall
    let path = request.url.drop { $0 != "/" }.dropFirst(2).drop { $0 != "/" }
    let fields = request.headers.map { ($0.name, $0.value) }
    let (status, body) = try ask(request.method, String(path), fields, request.body)
    return .answered(status: status, reason: "", body: body)
  }

  /// Somebody else's.
  func ask(_ method: String, _ path: String, _ body: String? = nil) throws -> JSONValue {
    let answer = try ask(method, path, [], body.map { Array($0.utf8) })
    return try JSONValue(parsing: answer.body.span)
  }

  /// How many records of the device are stored; none of one that the server does not know.
  func count(of device: String) throws -> Int {
    guard case .array(let records)? = try ask("GET", "/admin/v1/devices/\(device)/locations?limit=1000")["locations"]
    else { return 0 }
    return records.count
  }

  private func ask(
    _ method: String, _ path: String, _ fields: [(String, String)], _ body: [UInt8]?
  ) throws -> (status: Int, body: [UInt8]) {
    var head = "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\n"
    for (name, value) in fields { head += "\(name): \(value)\r\n" }
    if let body { head += "Content-Length: \(body.count)\r\n" }
    let request = Array((head + "\r\n").utf8) + (body ?? [])
    let received = connection.receive(request, at: start, wall: wall)
    // An answer that is held back for a moment has nothing to wait for where time stands still.
    return try Self.parse(received.isEmpty ? connection.resume(at: start, wall: wall) : received)
  }

  private static func parse(_ received: [UInt8]) throws -> (status: Int, body: [UInt8]) {
    var collector = ResponseCollector(to: .post)
    _ = try collector.take(received.span)
    guard collector.isComplete else { throw NoWholeAnswer(text: String(decoding: received, as: UTF8.self)) }
    return (collector.head.status, collector.body)
  }

  struct NoWholeAnswer: Error {
    let text: String
  }
}
