import Queue
import Support

/// The forms of one implementation, for which every test of the queue holds alike.
enum QueueForm: CaseIterable, Sendable {
  /// A file per app, each call a commit.
  case app
  /// A file per shard, with neighbours on both sides, commits grouped.
  case shard
  /// The same without a file.
  case memory
  /// In a file without a name, for virtual time: what a group writes comes to SQLite with its commit.
  case scratch

  static let files: [QueueForm] = [.app, .shard]

  /// What it holds is there again after a restart.
  var isKept: Bool { QueueForm.files.contains(self) }
}

/// A database of one form, and the device that the test is about.
final class Bench {
  let form: QueueForm
  private let folder: TemporaryFolder
  private(set) var database: QueueDatabase

  init(_ form: QueueForm) throws {
    self.form = form
    folder = try TemporaryFolder()
    database = try Bench.open(form, folder)
    for neighbour in neighbours {
      let queue = database.queue(of: neighbour)
      for number in 0..<3 { _ = try queue.insert(neighbour * 1_000 + number) }
    }
    try database.commit()
  }

  var device: Int { form == .app ? 0 : 5 }
  var path: String { folder.file("queue.db") }
  private var neighbours: [Int] { form == .app ? [] : [4, 6] }

  /// Not to be kept over `reopen`: it keeps its database open.
  func queue() -> DeviceQueue { database.queue(of: device) }

  /// As after a start of the process; a database that is not kept goes on.
  func reopen() throws {
    try database.commit()
    guard form.isKept else { return }
    // The old one holds its lock until it is gone.
    database = try QueueDatabase(path: ":memory:", commits: .grouped)
    database = try Bench.open(form, folder)
  }

  /// Whether the neighbours have what they were given in the beginning.
  func neighboursAreUntouched() throws -> Bool {
    for neighbour in neighbours {
      let queue = database.queue(of: neighbour)
      let numbers = try queue.read(limit: .max, offset: 0, newestFirst: false).map(Sample.number)
      guard queue.count == 3, numbers == (0..<3).map({ neighbour * 1_000 + $0 }) else { return false }
    }
    return true
  }

  private static func open(_ form: QueueForm, _ folder: TemporaryFolder) throws -> QueueDatabase {
    switch form {
    case .app: try QueueDatabase(path: folder.file("queue.db"), commits: .everyCall)
    case .shard: try QueueDatabase(path: folder.file("queue.db"), commits: .grouped)
    case .memory: try QueueDatabase(path: ":memory:", commits: .grouped)
    case .scratch: try QueueDatabase(path: "", commits: .grouped)
    }
  }
}
