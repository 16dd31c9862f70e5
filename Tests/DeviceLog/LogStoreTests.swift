import Base
import Contract
import Database
import Support
import Testing
import Vocabulary

@testable import DeviceLog

/// The log as it is kept: SDK §20.1.
@Suite struct LogStoreTests {
  private static let start = WallInstant(millisecondsSince1970: 1_785_263_663_000)

  private func store(bytesMax: Int = 1 << 20) throws -> LogStore {
    try LogStore(path: ":memory:", text: LogText(platform: .ios), bytesMax: bytesMax)
  }

  private func instant(_ second: Int) -> WallInstant { Self.start.advanced(byMilliseconds: Int64(second) * 1_000) }

  private func fill(_ store: LogStore, _ count: Int) throws {
    for number in 0..<count { try store.append(.user(.info, "line <\(number)>"), at: instant(number)) }
  }

  private func numbers(_ text: [UInt8]) -> [Int] {
    String(decoding: text, as: UTF8.self).split(separator: "<").dropFirst().compactMap { Int($0.prefix { $0 != ">" }) }
  }

  @Test func entriesComeInTheOrderAskedFor() throws {
    let store = try store()
    try fill(store, 6)
    #expect(try numbers(store.text()) == [0, 1, 2, 3, 4, 5])
    var query = LogQuery()
    query.newestFirst = true
    query.limit = 2
    #expect(try numbers(store.text(query)) == [5, 4])
  }

  @Test func startAndEndBelongToWhatIsAskedFor() throws {
    let store = try store()
    try fill(store, 6)
    var query = LogQuery()
    query.start = instant(2)
    query.end = instant(4)
    #expect(try numbers(store.text(query)) == [2, 3, 4])
    query.start = instant(5)
    #expect(try store.text(query).isEmpty)
  }

  @Test func lessImportantEntriesCanBeLeftOut() throws {
    let store = try store()
    try store.append(.user(.error, "<1>"), at: instant(0))
    try store.append(.user(.debug, "<2>"), at: instant(1))
    #expect(try numbers(store.text(level: .warning)) == [1])
  }

  @Test func oldEntriesGoAtTheStart() throws {
    let store = try store()
    let day = 86_400
    for number in 0..<5 { try store.append(.user(.info, "<\(number)>"), at: instant(number * day)) }
    try store.purge(olderThanDays: 2, at: instant(4 * day))
    #expect(try numbers(store.text()) == [2, 3, 4])
    try store.purge(olderThanDays: 0, at: instant(40 * day))
    #expect(try numbers(store.text()) == [2, 3, 4])
  }

  @Test func theLogDoesNotGrowBeyondItsLimit() throws {
    let store = try store(bytesMax: 4_000)
    try fill(store, 500)
    let text = try store.text()
    let kept = numbers(text)
    #expect(text.count <= 4_000 && kept.count > 10)
    #expect(kept == Array(500 - kept.count..<500))
  }

  @Test func aDestroyedLogIsEmptyAndGoesOn() throws {
    let store = try store()
    try fill(store, 3)
    try store.removeAll()
    #expect(try store.text().isEmpty)
    try store.append(.user(.info, "<9>"), at: instant(9))
    #expect(try numbers(store.text()) == [9])
  }

  @Test func theRingKeepsTheLastEntries() {
    var ring = LogRing(capacity: 4)
    for number in 0..<11 { ring.append(.user(.info, "<\(number)>"), at: instant(number)) }
    let text = LogText(platform: .android)
    #expect(numbers(ring.text(as: text)) == [7, 8, 9, 10])
    var query = LogQuery()
    query.newestFirst = true
    query.start = instant(8)
    query.limit = 2
    #expect(numbers(ring.text(query, as: text)) == [10, 9])
    ring.removeAll()
    #expect(ring.count == 0 && ring.text(as: text).isEmpty)
  }

  @Test func theRingAndTheStoreWriteTheSame() throws {
    let store = try store()
    var ring = LogRing(capacity: 1_000)
    for entry in EveryLogEntry.all(at: Self.start) {
      try store.append(entry, at: Self.start)
      ring.append(entry, at: Self.start)
    }
    #expect(try store.text() == ring.text(as: LogText(platform: .ios)))
  }
}
