import FoundationEssentials

/// One text file of the repository, with its path from the root.
struct SourceFile: Sendable {
  let path: String
  let lines: [Substring]

  init(path: String, text: String) {
    self.path = path
    lines = text.split(separator: "\n", omittingEmptySubsequences: false)
  }
}

/// A broken rule, printed the way a compiler prints, so that an editor can jump there.
struct Violation: Equatable, CustomStringConvertible {
  let path: String
  let line: Int
  let rule: String

  var description: String { "\(path):\(line): \(rule)" }
}

/// The repository as the rules see it.
enum SourceTree {
  /// The root of the checkout, from the place of this very file: Tests/Tidy/SourceTree.swift.
  static let root: String = #filePath.split(separator: "/").dropLast(3).reduce(into: "") { $0 += "/" + $1 }

  static func file(_ path: String) throws -> SourceFile {
    SourceFile(path: path, text: try String(contentsOfFile: "\(root)/\(path)", encoding: .utf8))
  }

  /// All files below `folders` with one of the `endings`, in the order of their paths.
  static func files(in folders: [String], endings: [String]) throws -> [SourceFile] {
    var found: [SourceFile] = []
    for folder in folders {
      for name in try FileManager.default.subpathsOfDirectory(atPath: "\(root)/\(folder)").sorted()
      where endings.contains(where: { name.hasSuffix($0) }) {
        found.append(try file("\(folder)/\(name)"))
      }
    }
    return found
  }
}
