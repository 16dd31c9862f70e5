import Glibc

/// What a process that is about to be killed was told, in a file that survives it.
struct Notebook {
  enum Entry: UInt32, CaseIterable {
    case inserted, deleting, deleted
  }

  private struct Failure: Error {
    let code = errno
  }

  private let file: Int32
  private(set) var inserted: Set<Int> = []
  private(set) var deleting: Set<Int> = []
  private(set) var deleted: Set<Int> = []

  init(creating path: String) throws {
    file = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    guard file >= 0 else { throw Failure() }
  }

  init(reading path: String) throws {
    file = unsafe open(path, O_RDONLY)
    guard file >= 0 else { throw Failure() }
    defer { close(file) }
    var words = [UInt32](repeating: 0, count: 1 << 20)
    let size = unsafe read(file, &words, words.count * 4)
    guard size >= 0 && size < words.count * 4 else { throw Failure() }
    for word in words.prefix(size / 4) {
      let number = Int(word & 0xFF_FFFF)
      switch Entry(rawValue: word >> 24) {
      case .inserted: inserted.insert(number)
      case .deleting: deleting.insert(number)
      case .deleted: deleted.insert(number)
      case nil: throw Failure()
      }
    }
  }

  /// A write of a few bytes is there as a whole or not at all when the process dies.
  func note(_ entry: Entry, _ numbers: [Int]) throws {
    let words = numbers.map { entry.rawValue << 24 | UInt32($0) }
    guard unsafe write(file, words, words.count * 4) == words.count * 4 else { throw Failure() }
  }
}
