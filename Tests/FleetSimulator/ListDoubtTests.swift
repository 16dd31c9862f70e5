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

  /// Returns the records with these numbers of the device that a question is about.
  private static func list(_ numbers: some Sequence<Int>, ofThat path: String) -> String {
    let letter = path.split(separator: "device=").dropFirst().first?.utf8.first ?? 0
    return list(numbers.map { $0 + 1_000 * Int(letter) })
  }

  /// The devices "a", "b" and so on; `answer` gets the path of a question. `aside` is the URL of the quarantined records.
  private func proof(
    devices: Int = 4, path: String = "$[*]", aside: String? = nil, asidePath: String? = nil, next: String? = nil,
    retries: ListRetries = .none, answer: @escaping @Sendable (String) -> BareServer.Answer
  ) throws -> ListedProof {
    let server = try BareServer { answer(String($0.lines[0].split(separator: " ")[1])) }
    servers.append(server)
    let client = try BlockingHTTPClient(TransportConfiguration(), keepsHeads: true)
    let cursor = next == nil ? "" : "&after={cursor}"
    var question = QuerySource.Question(url: server.url + "list?device={device}" + cursor, path: path)
    question.next = next
    question.quarantinedURL = aside.map { server.url + $0 }
    question.quarantinedPath = asidePath
    let source = QuerySource(client, question, headers: [], seed: 1, deviceCount: devices)
    return ListedProof(source, devices: "abcd".prefix(devices).map { String($0) }, retries: retries)
  }

  /// Of four devices; the server lists `limit` records of each at most, and may have a page after it.
  @Test(arguments: [(37, 37, true), (37, 38, false), (9, 9, false)])
  func listsOfOneLengthMayBeCut(limit: Int, ofTheLast: Int, isCut: Bool) throws {
    let proof = try proof { path in .ok(Self.list(0..<(path.hasSuffix("=d") ? ofTheLast : limit), ofThat: path)) }
    let absent = try Self.key(1)
    #expect(proof.missing([absent], of: "a") == (isCut ? nil : [absent]))
    let words = "the lists of 'a' and 3 other devices end at 37 entries each, and none is longer"
    #expect(proof.refusal?.hasPrefix(words) ?? false == isCut, "\(proof.refusal ?? "")")
  }

  /// A list that is cut lacks the first records or the last ones.
  @Test(arguments: [(0, true), (1, true), (2, false), (9, true)] as [(Int64, Bool)])
  func aRecordBetweenOthersIsNotBehindTheEnd(time: Int64, isCut: Bool) throws {
    let proof = try proof { path in .ok(Self.list(0..<37, ofThat: path)) }
    let listed = try [1, 5].map { try Self.key(1_000 * 97 + Int($0), at: $0) }
    let absent = try Self.key(1, at: time)
    #expect(proof.missing(listed + [absent], of: "a") == (isCut ? nil : [absent]))
  }

  /// Rows have identities of their own: the record's stands under another name, or nowhere. Those of another run have other times.
  @Test(
    arguments: [
      ("\"key\":\"UUID\"", "a record's uuid stands at $.key: name it as 'uuid' in verify.fields"),
      (
        "\"time\":\"2026-03-02T06:30:00Z\"",
        "is listed as 00000000-0000-4000-8000-100000000500: let the list show the uuid"
      ),
      ("\"time\":\"2026-03-02T06:31:00Z\"", nil),
    ] as [(String, String?)])
  func rowsMayHaveIdentitiesOfTheirOwn(members: String, words: String?) throws {
    let body = "[{\"id\":\"\(Self.uuid(500))\",\(members.replacing("UUID", with: Self.uuid(1)))}]"
    let proof = try proof(devices: 1) { _ in .ok(body) }
    let key = try Self.key(1, at: 1_772_433_000_000)
    #expect(proof.missing([key], of: "a") == (words == nil ? [key] : nil))
    #expect(words.map { proof.refusal?.contains($0) ?? false } ?? (proof.refusal == nil), "\(proof.refusal ?? "")")
  }

  /// That of two may be chance, and one with pages was read to its end.
  @Test(arguments: [(2, false), (4, true)]) func listsOfOneLengthMayBeWhole(devices: Int, hasPages: Bool) throws {
    let proof = try proof(devices: devices) { path in
      let link = hasPages && !path.contains("page") ? "Link: <\(path)&page=2>; rel=\"next\"\r\n" : ""
      let body = Self.list(path.contains("page") ? 37..<40 : 0..<37, ofThat: path)
      return .text("HTTP/1.1 200 OK\r\n\(link)Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
    }
    let absent = try Self.key(1)
    #expect(proof.missing([absent], of: "a") == [absent] && proof.refusal == nil, "\(proof.refusal ?? "")")
  }

  /// A record whose request had no answer may be there or not: it is neither waited for, nor late, nor a reason for doubt.
  @Test func whatWasNotAcknowledgedNeedNotBeThere() throws {
    let readings = Mutex(0)
    let proof = try proof(path: "$.points[*]", retries: ListRetries([0, 0, 0], longer: 0)) { _ in
      let count = readings.withLock {
        $0 += 1
        return $0
      }
      return .ok("{\"points\":\(Self.list(0..<count)),\"has_more\":true}")
    }
    let keys = try (0..<3).map { try Self.key($0) }
    let (second, third) = (keys[1], keys[2])
    #expect(proof.missing(keys, of: "a", notOwed: [second.uuid, third.uuid]) == [second, third])
    #expect(readings.withLock { $0 } == 1 && proof.lateRecords == 0 && proof.refusal == nil)
    // The second appears late, and the third one never.
    #expect(proof.missing(keys, of: "a", notOwed: [third.uuid]) == [third])
    #expect(proof.lateRecords == 1 && proof.refusal == nil)
    #expect(proof.missing(keys + [try Self.key(99)], of: "a") == nil && proof.refusal?.contains("has_more") == true)
  }

  /// Records arrive, though at two of three readings none of this device.
  @Test func aStoreThatLagsBehindIsWaitedFor() throws {
    let readings = Mutex(0)
    let proof = try proof(retries: ListRetries([0, 0, 0], longer: 0)) { _ in
      let count = readings.withLock {
        $0 += 1
        return $0
      }
      return .ok(Self.list(0..<(count / 3)))
    }
    #expect(proof.missing(try (0..<8).map { try Self.key($0) }, of: "a") == [] && proof.lateRecords == 8)
  }

  @Test func aPathOfQuarantinedRecordsThatFindsNothingIsSaid() throws {
    let proof = try proof(path: "$.points[*]", aside: "aside?device={device}") { path in
      path.hasPrefix("/aside") ? .ok(Self.list([1])) : .ok("{\"points\":\(Self.list([0]))}")
    }
    #expect(proof.missing([try Self.key(1)], of: "a") == nil)
    #expect(proof.refusal?.contains("$.points[*] (verify.quarantined) matches nothing") == true)
  }

  /// With a list of their own, or beside the others; some servers leave an empty one out.
  @Test(arguments: [true, false]) func aDeviceNeedNotHaveQuarantinedRecords(isApart: Bool) throws {
    let proof = try proof(
      devices: 2, path: "$.points[*]", aside: isApart ? "aside?device={device}" : nil, asidePath: "$.aside[*]"
    ) { path in
      let hasSome = path.hasSuffix("=b")
      let aside = "\"aside\":\(Self.list([1]))"
      guard path.hasPrefix("/aside") else {
        return .ok("{\"points\":\(Self.list([hasSome ? 2 : 0]))\(hasSome && !isApart ? "," + aside : "")}")
      }
      return hasSome ? .ok("{\(aside)}") : .text("HTTP/1.1 404 None\r\nContent-Length: 0\r\n\r\n")
    }
    let absent = try Self.key(1)
    #expect(
      proof.missing([try Self.key(0), absent], of: "a") == [absent] && proof.refusal == nil, "\(proof.refusal ?? "")")
    #expect(proof.missing([try Self.key(2), absent], of: "b") == [absent])
    #expect(proof.quarantined(of: "b").holds(absent.uuid) && !proof.quarantined(of: "a").holds(absent.uuid))
  }

  @Test(arguments: [true, false]) func whereNoDeviceHasQuarantinedRecordsTheyAreUnknown(isApart: Bool) throws {
    let proof = try proof(
      devices: 1, path: "$.points[*]", aside: isApart ? "asied" : nil, asidePath: "$.asied[*]"
    ) { path in
      path.hasPrefix("/asied")
        ? .text("HTTP/1.1 404 None\r\nContent-Length: 0\r\n\r\n")
        : .ok("{\"points\":\(Self.list([0])),\"aside\":\(Self.list([1]))}")
    }
    #expect(proof.missing([try Self.key(0)], of: "a") == [] && proof.refusal == nil)
    #expect(proof.missing([try Self.key(1)], of: "a") == nil)
    #expect(proof.refusal?.hasSuffix(": what is missing may be quarantined") == true, "\(proof.refusal ?? "")")
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
