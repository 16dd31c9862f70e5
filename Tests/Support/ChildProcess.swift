package import Glibc

/// A program as a process of its own. It hears signals, which the threads of tests block or this process ignores, and ends
/// with this value at the latest.
package final class ChildProcess {
  package struct Failure: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
  }

  package let id: pid_t
  private var hasEnded = false

  /// The first word is the program, on the PATH if it has no slash. `places` says which of the caller's descriptors stands
  /// where in it; input and outputs without a place lead nowhere.
  package init(_ words: [String], places: KeyValuePairs<Int32, Int32> = [:]) throws(Failure) {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    for place in STDIN_FILENO...STDERR_FILENO where !places.contains(where: { $0.key == place }) {
      unsafe posix_spawn_file_actions_addopen(&actions, place, "/dev/null", O_RDWR, 0)
    }
    for (place, descriptor) in places { unsafe posix_spawn_file_actions_adddup2(&actions, descriptor, place) }
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    unsafe sigemptyset(&none)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    unsafe sigaddset(&none, SIGPIPE)
    unsafe posix_spawnattr_setsigdefault(&attributes, &none)
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    var list = unsafe words.map { unsafe strdup($0) } + [nil]
    defer { unsafe list.forEach { unsafe free($0) } }
    var environment = unsafe ChildProcess.environment
    defer { unsafe free(environment[environment.count - 2]) }
    var child: pid_t = 0
    let code = unsafe posix_spawnp(&child, words[0], &actions, &attributes, &list, &environment)
    guard code == 0 else { throw Failure("\(words[0]): errno \(code)") }
    id = child
  }

  /// That of this process, without the printing of stacks after a crash: when the crashed process is ended meanwhile, the
  /// program that prints them waits for it for ever, and holds the outputs.
  private static var environment: [UnsafeMutablePointer<CChar>?] {
    var list: [UnsafeMutablePointer<CChar>?] = unsafe []
    var entry = unsafe environ
    while let text = unsafe entry.pointee {
      unsafe list.append(text)
      unsafe entry += 1
    }
    return unsafe list + [strdup("SWIFT_BACKTRACE=enable=no"), nil]
  }

  deinit {
    guard !hasEnded else { return }
    signal(SIGKILL)
    _ = exitCode()
  }

  package func signal(_ number: Int32) { kill(id, number) }

  /// Whether it has ended by itself. After that there is no exit code to wait for.
  package func endedByItself() -> Bool {
    if !hasEnded { hasEnded = waitpid(id, nil, WNOHANG) != 0 }
    return hasEnded
  }

  /// Waits for its end; of a signal the negative number.
  package func exitCode() -> Int32 {
    var status: Int32 = 0
    while unsafe waitpid(id, &status, 0) < 0, errno == EINTR {}
    hasEnded = true
    return status & 0x7F == 0 ? status >> 8 & 0xFF : -(status & 0x7F)
  }

  /// Both ends of a pipe; another child that starts meanwhile gets neither.
  package static func pipe() throws(Failure) -> (read: Int32, write: Int32) {
    var ends: [Int32] = [0, 0]
    guard unsafe Glibc.pipe(&ends) == 0 else { throw Failure("pipe: errno \(errno)") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }
}
