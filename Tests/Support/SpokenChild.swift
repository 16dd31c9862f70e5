import Glibc

/// A child whose outputs are read as one text, as far as it has come.
package final class SpokenChild {
  package let process: ChildProcess
  package private(set) var output = ""
  private let end: Int32

  /// `input` is what it reads, nothing if it is not said.
  package init(_ words: [String], input: Int32? = nil) throws(ChildProcess.Failure) {
    let (read, write) = try ChildProcess.pipe()
    defer { _ = close(write) }
    process =
      if let input {
        try ChildProcess(words, places: [STDIN_FILENO: input, STDOUT_FILENO: write, STDERR_FILENO: write])
      } else {
        try ChildProcess(words, places: [STDOUT_FILENO: write, STDERR_FILENO: write])
      }
    end = read
  }

  deinit { _ = close(end) }

  /// Reads until the text has come.
  package func wait(for text: String) throws(ChildProcess.Failure) {
    while !output.contains(text) {
      guard readMore() else { throw ChildProcess.Failure("\(output) ends without \(text)") }
    }
  }

  /// Reads until a line has come behind what was said before.
  package func waitForNext(line: String) throws(ChildProcess.Failure) {
    try wait(for: line + "\n")
    output = ""
  }

  /// Reads to the end; gives how the child ended.
  package func finish() -> Int32 {
    while readMore() {}
    return process.exitCode()
  }

  /// The first whole line that begins with a word, without that word.
  package func line(beginningWith word: String) throws(ChildProcess.Failure) -> String {
    while true {
      let lines = output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      if let line = lines.first(where: { $0.hasPrefix(word) }) { return String(line.dropFirst(word.count)) }
      guard readMore() else { throw ChildProcess.Failure("\(output) has no line of \(word)") }
    }
  }

  private func readMore() -> Bool {
    var piece = [UInt8](repeating: 0, count: 4_096)
    let count = unsafe read(end, &piece, piece.count)
    guard count > 0 else { return false }
    output += String(decoding: piece[..<count], as: UTF8.self)
    return true
  }
}
