internal import CLinux
internal import Glibc

/// Shell commands that a user specifies: they restart a backend, or print what it has stored.
package enum ShellCommand {
  /// How a command has ended.
  package enum End: Equatable, Sendable {
    /// It exited with this code; 127 if it could not be started.
    case code(Int32)
    /// It exceeded its time limit, and was killed.
    case timeout
    /// The reader wanted no more output, and it was killed.
    case unwanted
  }

  package static let millisecondsMax = 300_000

  /// Waits for the end of the command itself; processes that it leaves in the background continue. `take` gets its output in
  /// pieces and returns whether it wants more. A command that exceeds its time limit is killed with all processes that it has
  /// started.
  ///
  /// The command's input is empty, and it receives signals like any command of a terminal, whatever this process blocks.
  package static func run(
    _ command: String, _ variables: [String: String], within milliseconds: Int = millisecondsMax,
    _ take: (ArraySlice<UInt8>) -> Bool
  ) -> End {
    var pipeEnds: [Int32] = [0, 0]
    guard unsafe rr_pipe(&pipeEnds) == 0 else { return .code(127) }
    defer { close(pipeEnds[0]) }
    let inherited = environmentTexts.filter { text in !variables.keys.contains { text.hasPrefix($0 + "=") } }
    let process = start(command, variables.map { "\($0.key)=\($0.value)" } + inherited, output: pipeEnds[1])
    close(pipeEnds[1])
    guard let process else { return .code(127) }
    let end = read(pipeEnds[0], until: process, by: now + Int64(milliseconds), take)
    if case .code = end { return end }
    // A process that has not been waited for still leads its group, whose number is therefore its own.
    kill(-process, SIGKILL)
    var status: Int32 = 0
    while unsafe waitpid(process, &status, 0) < 0 && errno == EINTR {}
    return end
  }

  /// Starts the command in a process group of its own, with no signal blocked or ignored that ends a program.
  private static func start(_ command: String, _ environment: [String], output: Int32) -> pid_t? {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe posix_spawnattr_setsigmask(&attributes, &signals)
    for signal in [SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM, SIGXFSZ] { unsafe sigaddset(&signals, signal) }
    unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
    let flags = Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF) | Int32(POSIX_SPAWN_SETPGROUP)
    unsafe posix_spawnattr_setflags(&attributes, Int16(flags))
    var process: pid_t = 0
    let result = unsafe withTexts(environment) { environment in
      unsafe withTexts(["/bin/sh", "-c", command]) { words in
        unsafe posix_spawn(&process, "/bin/sh", &actions, &attributes, words, environment)
      }
    }
    return result == 0 ? process : nil
  }

  private static var environmentTexts: [String] {
    var texts: [String] = []
    var entry = unsafe environ
    while let text = unsafe entry.pointee {
      texts.append(unsafe String(cString: text))
      unsafe entry += 1
    }
    return texts
  }

  /// Passes an array of C strings, terminated by null.
  private static func withTexts<Result>(
    _ texts: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
  ) -> Result {
    let list = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: texts.count + 1)
    for (index, text) in texts.enumerated() { unsafe list[index] = strdup(text) }
    unsafe list[texts.count] = nil
    defer {
      for index in texts.indices { unsafe free(list[index]) }
      unsafe list.deallocate()
    }
    return unsafe body(list)
  }

  /// The monotonic time in milliseconds.
  private static var now: Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
  }

  /// Reads until the command ends, even if its output does not: a server that it has started keeps the pipe open, and it may
  /// close the pipe itself.
  private static func read(
    _ descriptor: Int32, until process: pid_t, by deadline: Int64, _ take: (ArraySlice<UInt8>) -> Bool
  ) -> End {
    var piece = [UInt8](repeating: 0, count: 65_536)
    var status: Int32 = 0
    var (hasEnded, isOpen) = (false, true)
    while true {
      if !hasEnded { hasEnded = unsafe waitpid(process, &status, WNOHANG) == process }
      if hasEnded && !isOpen { break }
      if now >= deadline {
        guard hasEnded else { return .timeout }
        break
      }
      // poll ignores a negative descriptor.
      var set = pollfd(fd: isOpen ? descriptor : -1, events: Int16(POLLIN), revents: 0)
      guard unsafe poll(&set, 1, hasEnded ? 0 : 20) > 0 else {
        if hasEnded { break }
        continue
      }
      let length = unsafe Glibc.read(descriptor, &piece, piece.count)
      isOpen = length > 0
      if isOpen, !take(piece[..<length]) {
        guard hasEnded else { return .unwanted }
        break
      }
    }
    return .code(status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F))
  }
}
