import Glibc

/// Files of the repository, by their path from its top.
enum RepositoryFile {
  struct Missing: Error { let path: String }

  static func text(_ path: String) throws -> String {
    guard let file = unsafe fopen(top + path, "r") else { throw Missing(path: path) }
    defer { unsafe fclose(file) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = unsafe fread(&piece, 1, piece.count, file)
      if count == 0 { return String(decoding: bytes, as: UTF8.self) }
      bytes += piece[..<count]
    }
  }

  static func names(in folder: String) throws -> [String] {
    guard let directory = unsafe opendir(top + folder) else { throw Missing(path: folder) }
    defer { unsafe closedir(directory) }
    var names: [String] = []
    while let entry = unsafe readdir(directory) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
        unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted()
  }

  /// Tests/Scenario/RepositoryFile.swift is three steps below it.
  private static let top = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined() + "/"
}
