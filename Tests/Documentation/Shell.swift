import Glibc
import Support
import Threads

/// The shell of a reader: a process of its own, which a thread of its own waits for.
enum Shell {
  struct Outcome: Sendable {
    /// What it wrote on both outputs.
    let output: String
    let exitCode: Int32
  }

  struct Failure: Error { let call: String }

  /// Runs the text in bash. What has not ended after a minute is ended with exit code 124.
  static func run(_ text: String) async -> Outcome {
    await withCheckedContinuation { continuation in
      NamedThread.started("shell") {
        do { continuation.resume(returning: try wait(for: text)) } catch {
          continuation.resume(returning: Outcome(output: "\(error)", exitCode: -1))
        }
      }.detach()
    }
  }

  private static func wait(for text: String) throws -> Outcome {
    var ends: [Int32] = [0, 0]
    guard unsafe pipe(&ends) == 0 else { throw Failure(call: "pipe") }
    // Another child that starts meanwhile must not hold the end that this one writes to.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    defer { _ = close(ends[0]) }
    let child = try start(["timeout", "-k", "5", "60", "bash", "-c", text], writingTo: ends[1])
    var output: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 4_096)
    while case let count = unsafe read(ends[0], &piece, piece.count), count > 0 { output += piece[..<count] }
    var status: Int32 = 0
    unsafe waitpid(child, &status, 0)
    return Outcome(
      output: String(decoding: output, as: UTF8.self),
      exitCode: status & 0x7F == 0 ? status >> 8 & 0xFF : -(status & 0x7F))
  }

  private static func start(_ words: [String], writingTo end: Int32) throws -> pid_t {
    defer { _ = close(end) }
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, end, STDOUT_FILENO)
    unsafe posix_spawn_file_actions_adddup2(&actions, end, STDERR_FILENO)
    // The threads of a test block signals, and a child would inherit that.
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    unsafe sigemptyset(&none)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    var list = unsafe words.map { unsafe strdup($0) } + [nil]
    defer { unsafe list.forEach { unsafe free($0) } }
    var child: pid_t = 0
    guard unsafe posix_spawnp(&child, words[0], &actions, &attributes, &list, environ) == 0 else {
      throw Failure(call: "posix_spawnp")
    }
    return child
  }
}
