import Glibc

/// `rollingroad serve` as a child, alone or under strace.
final class ServerProcess {
  private let child: pid_t
  private let output: Int32
  private var isRunning = true
  /// Nil when the server ended before it listened.
  private(set) var port: UInt16?

  /// Returns when the server listens or has ended. `wrapper` stands before the server's own command line.
  init(program: String, folder: String, wrapper: [String] = []) throws(CampaignError) {
    let words = wrapper + [program, "serve", "--listen", "127.0.0.1:0", "--data", folder]
    var ends: [Int32] = [0, 0]
    guard unsafe pipe(&ends) == 0, fcntl(ends[0], F_SETFD, FD_CLOEXEC) == 0,
      fcntl(ends[1], F_SETFD, FD_CLOEXEC) == 0
    else { throw CampaignError("pipe", errno) }
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
    let log = folder + ".log"
    unsafe posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    var arguments: [UnsafeMutablePointer<CChar>?] = unsafe words.map { unsafe strdup($0) }
    unsafe arguments.append(nil)
    defer { unsafe arguments.forEach { unsafe free($0) } }
    var pid: pid_t = 0
    let code = unsafe posix_spawnp(&pid, words[0], &actions, nil, arguments, environ)
    _ = close(ends[1])
    guard code == 0 else { throw CampaignError("starting \(words[0])", code) }
    child = pid
    output = ends[0]
    port = readPort()
  }

  deinit { _ = close(output) }

  /// The first line is `listening http://127.0.0.1:PORT`.
  private func readPort() -> UInt16? {
    var line: [UInt8] = []
    var byte: UInt8 = 0
    while unsafe read(output, &byte, 1) == 1 {
      if byte == UInt8(ascii: "\n") { break }
      line.append(byte)
    }
    return String(decoding: line, as: UTF8.self).split(separator: ":").last.flatMap { UInt16($0) }
  }

  /// What a power switch does to a process.
  func killAtOnce() {
    _ = kill(child, SIGKILL)
    _ = wait()
  }

  /// SIGTERM to the server itself, which is not our child when strace stands between.
  func stop(folder: String) -> Int32 {
    let server = ownerOfLock(folder) ?? child
    _ = kill(server, SIGTERM)
    return wait()
  }

  private func ownerOfLock(_ folder: String) -> pid_t? {
    let descriptor = unsafe open(folder + "/lock", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { _ = close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 20)
    let count = unsafe read(descriptor, &bytes, bytes.count)
    return pid_t(String(decoding: bytes.prefix(max(0, count)).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
  }

  /// Whether it has ended by itself. After that it must not be stopped.
  func hasEnded() -> Bool {
    if !isRunning { return true }
    isRunning = waitpid(child, nil, WNOHANG) == 0
    return !isRunning
  }

  private func wait() -> Int32 {
    var status: Int32 = 0
    while unsafe waitpid(child, &status, 0) < 0 && errno == EINTR {}
    return status
  }
}
