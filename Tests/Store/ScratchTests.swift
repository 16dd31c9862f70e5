import Glibc
import Store
import Testing

@Suite struct ScratchTests {
  @Test func aStoreForOneRunHoldsMoreThanItsCacheOutsideOfMemory() throws {
    let store = try SQLiteStore(.scratch)
    let count = 40_000
    for start in stride(from: 0, to: count, by: 1_000) {
      #expect(store.ingest(Sample.batch(Array(start..<start + 1_000))) == [1_000, 0, 0])
    }
    #expect(store.ingest(Sample.batch([0, count - 1])) == [0, 2, 0])
    #expect(try store.reader?.countStored() == Int64(count))
    #expect(ScratchTests.hasSpillFile, "SQLite names its temporary files etilqs_")
  }

  /// Deleted files that are still open keep their names here.
  private static var hasSpillFile: Bool {
    (0..<1_024).contains { descriptor in
      var target = [CChar](repeating: 0, count: 4_096)
      let count = unsafe readlink("/proc/self/fd/\(descriptor)", &target, target.count)
      let name = target.prefix(max(count, 0)).map { UInt8(bitPattern: $0) }
      return String(decoding: name, as: UTF8.self).contains("/etilqs_")
    }
  }
}
