import FoundationEssentials
import Glibc
import Synchronization

/// One text file of the repository, with its path from the root.
struct SourceFile: Sendable {
  let path: String
  let lines: [Substring]
  private let text: String
  /// Where each line begins.
  private let starts: [Int]

  init(path: String, text: String) {
    self.path = path
    self.text = text
    lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    var (starts, end) = ([Int](), 0)
    for line in lines {
      starts.append(end)
      end += line.utf8.count + 1
    }
    self.starts = starts
  }

  /// Much faster than a look at each line: most words are in few files.
  func contains(_ word: String) -> Bool { unsafe strstr(text, word) != nil }

  /// The lines in which one of the words stands, for a closer look: most lines need none.
  func lines(with words: String...) -> [(offset: Int, element: Substring)] {
    var found: Set<Int> = []
    for word in words {
      unsafe text.withCString { start in
        var place = unsafe strstr(start, word)
        while let here = unsafe place {
          let line = number(ofLineAt: unsafe UnsafePointer(here) - start)
          found.insert(line)
          guard line + 1 < starts.count else { return }
          unsafe place = strstr(start + starts[line + 1], word)
        }
      }
    }
    return found.sorted().map { ($0, lines[$0]) }
  }

  private func number(ofLineAt offset: Int) -> Int {
    var (low, high) = (0, starts.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if starts[middle] <= offset { low = middle } else { high = middle }
    }
    return low
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

  private static let read = Mutex<[String: SourceFile]>([:])

  /// Each file is read once for all rules.
  static func file(_ path: String) throws -> SourceFile {
    if let file = read.withLock({ $0[path] }) { return file }
    let file = SourceFile(path: path, text: try String(contentsOfFile: "\(root)/\(path)", encoding: .utf8))
    read.withLock { $0[path] = file }
    return file
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
