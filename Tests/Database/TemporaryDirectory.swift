import FoundationEssentials

/// A directory that goes with the test.
final class TemporaryDirectory {
  private let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(component: "database-tests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    do {
      try FileManager.default.removeItem(at: url)
    } catch {
      print("left behind: \(url.path): \(error)")
    }
  }

  var path: String { url.path }

  func file(_ name: String) -> String { url.appending(component: name).path }

  func write(_ bytes: [UInt8], to name: String) throws { try Data(bytes).write(to: url.appending(component: name)) }

  func read(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: url.appending(component: name))) }
}
