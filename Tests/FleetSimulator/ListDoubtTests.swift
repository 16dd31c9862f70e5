import BackendStore
import Base
import CurlTransport
import Oracle
import Store
import Support
import Synchronization
import Testing

@testable import FleetSimulator

/// What a list lacks is lost only where nothing else explains it.
@Suite final class ListDoubtTests {
  private var servers: [BareServer] = []

  private static func uuid(_ number: Int) -> String { "00000000-0000-4000-8000-\(100_000_000_000 + number)" }

  private static func key(_ number: Int, at time: Int64 = 0) throws -> PointKey {
    let identity = UUID128(text: uuid(number).utf8.span)
    return PointKey(recordedAt: time, uuid: try #require(identity))
  }

  private static func list(_ numbers: some Sequence<Int>) -> String {
    "[\(numbers.map { "\"\(uuid($0))\"" }.joined(separator: ","))]"
  }

  /// The devices "a", "b" and so on; `answer` gets the path of a question. `aside` is the URL of the quarantined records.
  private func proof(
    devices: Int = 4, path: String = "$[*]", aside: String? = nil, asidePath: String? = nil, next: String? = nil,
    patience: ListPatience? = nil, answer: @escaping @Sendable (String) -> BareServer.Answer
  ) throws -> ListedProof {
    let server = try BareServer { answer(String($0.lines[0].split(separator: " ")[1])) }
    servers.append(server)
    let client = try BlockingHTTPClient(TransportConfiguration(), keepsHeads: true)
    let cursor = next == nil ? "" : "&after={cursor}"
    var question = QuerySource.Question(url: server.url + "list?device={device}" + cursor, path: path)
    question.next = next
    question.putAsideURL = aside.map { server.url + $0 }
    question.putAsidePath = asidePath
    let source = QuerySource(client, question, headers: [], seed: 1, deviceCount: devices)
    return ListedProof(source, devices: "abcd".prefix(devices).map { String($0) }, patience: patience)
  }

  /// Entries by their numbers, page by page, and how often a list has each.
  @Test(arguments: [
    // Each page begins with what ended the one before.
    ([[1, 2, 3], [3, 4, 5], [5]], [1, 2, 3, 4, 5]), ([[1, 2, 3], [2, 3, 4]], [1, 2, 3, 4]),
    ([[1, 2, 2], [2, 2, 3]], [1, 2, 2, 3]),
    // Some do: those are rows of their own.
    ([[1, 2, 3], [3, 4, 5], [6]], [1, 2, 3, 3, 4, 5, 6]), ([[1, 2], [3, 2]], [1, 2, 2, 3]), ([[1, 1]], [1, 1]),
  ])
  func whatEndsAPageMayBeginTheNext(pages: [[Int]], stored: [Int]) throws {
    try expect(stored, of: pages) { number, _ in "{\"uuid\":\"\(Self.uuid(number))\"}" }
  }

  /// The same record in two rows, of which the list shows the numbers.
  @Test func rowsThatDifferAreNoSeam() throws {
    try expect([1, 1], of: [[1], [1]]) { number, page in "{\"uuid\":\"\(Self.uuid(number))\",\"row\":\(page)}" }
  }

  private func expect(
    _ stored: [Int], of pages: [[Int]], as entry: @escaping @Sendable (_ number: Int, _ page: Int) -> String
  ) throws {
    let proof = try proof(path: "$.points[*]", next: "$.next") { path in
      let page = path.split(separator: "after=").dropFirst().first.flatMap { Int($0) } ?? 0
      let entries = pages[page].map { entry($0, page) }.joined(separator: ",")
      return .ok("{\"points\":[\(entries)],\"next\":\(page + 1 < pages.count ? "\(page + 1)" : "null")}")
    }
    var found: [UUID128] = []
    proof.forEachRecord(of: "a") { found.append($1) }
    #expect(try found == stored.map { try Self.key($0).uuid })
  }

  /// A limit of the rate says when to ask again; a failure does not.
  @Test(arguments: [(429, "Retry-After: 0\r\n", true), (503, "Retry-After: 0\r\n", true), (503, "", false)])
  func aListThatLimitsTheRateIsAskedAgain(status: Int, field: String, isLimit: Bool) throws {
    let asked = Mutex(0)
    let proof = try proof { _ in
      let isFirst = asked.withLock {
        $0 += 1
        return $0 == 1
      }
      return isFirst ? .text("HTTP/1.1 \(status) No\r\n\(field)Content-Length: 0\r\n\r\n") : .ok(Self.list([0]))
    }
    #expect(proof.missing([try Self.key(0)], of: "a") == (isLimit ? [] : nil))
    #expect(proof.refusal?.contains("status 503") ?? false == !isLimit && asked.withLock { $0 } == (isLimit ? 2 : 1))
  }
}
