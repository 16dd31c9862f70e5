import Glibc
import Support

/// The real curl, as users type it.
enum Curl {
  struct Failure: Error {
    let command: String
    let status: Int32
  }

  /// A line for a shell, which may go on behind a pipe. Returns what curl writes to its standard output; an answer that it
  /// finds broken or refused is an error.
  static func line(_ arguments: String) throws -> String {
    let command = "curl --silent --show-error --max-time 20 \(arguments)"
    guard let pipe = unsafe popen(command, "r") else { throw Failure(command: command, status: errno) }
    var output: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = unsafe fread(&buffer, 1, buffer.count, pipe)
      if count == 0 { break }
      output += buffer[..<count]
    }
    let status = unsafe pclose(pipe)
    guard status == 0 else { throw Failure(command: command, status: status) }
    return String(decoding: output, as: UTF8.self)
  }

  /// The content of the answer, a space, and its status.
  static func run(_ words: [String]) throws -> String {
    try line((["--write-out", " %{http_code}"] + words).map(quoted).joined(separator: " "))
  }

  /// One word for the shell, whatever is in it.
  private static func quoted(_ word: String) -> String {
    let parts = word.split(separator: "'", omittingEmptySubsequences: false)
    return "'" + parts.joined(separator: "'\\''") + "'"
  }
}

/// A body in a file of its own, for curl to read.
final class CurlBody {
  private let folder: TemporaryFolder
  let name: String

  init(_ body: String) throws {
    folder = try TemporaryFolder()
    name = folder.file("body")
    try folder.write(Array(body.utf8), to: "body")
  }
}
