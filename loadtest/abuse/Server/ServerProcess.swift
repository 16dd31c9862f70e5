import Base
import Glibc
import Support

/// `rollingroad serve` as a child, and what the system says about it.
final class ServerProcess {
  let child: pid_t
  private let output: Int32
  let port: UInt16
  /// From the call that started it to its `listening` line.
  let untilListening: Nanoseconds
  private let startedAt: MonotonicInstant

  init(program: String, folder: String, flags: [String]) throws(Trouble) {
    let words = [program, "serve", "--listen", "127.0.0.1:0", "--data", folder] + flags
    var ends: [Int32] = [0, 0]
    guard unsafe pipe(&ends) == 0, fcntl(ends[0], F_SETFD, FD_CLOEXEC) == 0, fcntl(ends[1], F_SETFD, FD_CLOEXEC) == 0
    else { throw Trouble("pipe", errno) }
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
    unsafe posix_spawn_file_actions_addopen(
      &actions, STDERR_FILENO, folder + ".log", O_WRONLY | O_CREAT | O_APPEND, 0o600)
    var arguments: [UnsafeMutablePointer<CChar>?] = unsafe words.map { unsafe strdup($0) }
    unsafe arguments.append(nil)
    defer { unsafe arguments.forEach { unsafe free($0) } }
    var pid: pid_t = 0
    let clock = SystemClock()
    startedAt = clock.monotonicNow
    let code = unsafe posix_spawnp(&pid, words[0], &actions, nil, arguments, environ)
    _ = close(ends[1])
    guard code == 0 else { throw Trouble("starting \(words[0])", code) }
    let line = ServerProcess.firstLine(of: ends[0])
    untilListening = clock.monotonicNow - startedAt
    child = pid
    output = ends[0]
    guard let port = line.split(separator: ":").last.flatMap({ UInt16($0) }) else {
      throw Trouble("the server did not start; see \(folder).log")
    }
    self.port = port
  }

  deinit { _ = close(output) }

  private static func firstLine(of descriptor: Int32) -> String {
    var line: [UInt8] = []
    var byte: UInt8 = 0
    while unsafe read(descriptor, &byte, 1) == 1, byte != UInt8(ascii: "\n") { line.append(byte) }
    return String(decoding: line, as: UTF8.self)
  }

  /// The answer to a GET over a connection of its own.
  func get(_ path: String) throws(Trouble) -> String {
    do throws(LoopbackClient.Failure) {
      let client = try LoopbackClient(port: port)
      try client.send("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
      return try client.receiveToEnd().text
    } catch { throw Trouble("GET \(path): \(error)") }
  }

  /// Asks `/readyz` until it says 200; from the call that started it to that answer.
  func untilReady() throws(Trouble) -> Nanoseconds {
    let clock = SystemClock()
    while clock.monotonicNow - startedAt < .seconds(60) {
      if try get("/readyz").hasPrefix("HTTP/1.1 200") { return clock.monotonicNow - startedAt }
    }
    throw Trouble("the server is not ready after a minute")
  }

  /// Its end by SIGTERM.
  func stop() {
    _ = kill(child, SIGTERM)
    var status: Int32 = 0
    while unsafe waitpid(child, &status, 0) < 0 && errno == EINTR {}
  }
}
