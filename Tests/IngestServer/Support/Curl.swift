import Glibc

/// The real curl, as users type it.
enum Curl {
  struct Failure: Error {
    let message: String
  }

  /// The content of the answer, a space, and its status.
  static func run(_ arguments: [String]) throws -> String {
    let words = ["curl", "-sS", "--max-time", "20", "-w", " %{http_code}"] + arguments
    var ends: [Int32] = [0, 0]
    guard unsafe pipe(&ends) == 0 else { throw Failure(message: "pipe: \(errno)") }
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
    unsafe posix_spawn_file_actions_addclose(&actions, ends[0])
    unsafe posix_spawn_file_actions_addclose(&actions, ends[1])
    var list: [UnsafeMutablePointer<CChar>?] = unsafe words.map { unsafe strdup($0) }
    unsafe list.append(nil)
    defer { unsafe list.forEach { unsafe free($0) } }
    var child: pid_t = 0
    let code = unsafe posix_spawnp(&child, words[0], &actions, nil, list, environ)
    _ = close(ends[1])
    defer { _ = close(ends[0]) }
    guard code == 0 else { throw Failure(message: "curl: errno \(code)") }
    var output: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 4_096)
    while true {
      let count = unsafe read(ends[0], &piece, piece.count)
      if count <= 0 { break }
      output += piece[..<count]
    }
    var status: Int32 = 0
    unsafe waitpid(child, &status, 0)
    guard status == 0 else { throw Failure(message: "curl ended with \(status >> 8)") }
    return String(decoding: output, as: UTF8.self)
  }
}

/// A body in a file of its own, for curl to read.
final class CurlBody {
  let name: String

  init(_ body: String) throws {
    var template = Array(("/tmp/rollingroad-body-" + String(repeating: "X", count: 6)).utf8CString)
    let descriptor = unsafe mkstemp(&template)
    guard descriptor >= 0 else { throw Curl.Failure(message: "mkstemp: \(errno)") }
    defer { _ = close(descriptor) }
    name = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let bytes = Array(body.utf8)
    guard unsafe write(descriptor, bytes, bytes.count) == bytes.count else {
      throw Curl.Failure(message: "write: \(errno)")
    }
  }

  deinit { _ = unsafe unlink(name) }
}
