import FoundationEssentials

/// A folder of the test's own, gone with the value.
final class TemporaryFolder: Sendable {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.path() + "/queue-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    do { try FileManager.default.removeItem(atPath: path) } catch { print("\(path) stays: \(error)") }
  }

  var database: String { path + "/queue.db" }
}
