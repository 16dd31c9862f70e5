internal import Glibc

/// Commands of the shell that a user names: they restart a backend, or print what it has stored.
package enum ShellCommand {
  /// Waits for the end of the command itself; what it leaves running in the background goes on. `take` gets its output in
  /// pieces; the result is the exit code.
  package static func run(
    _ command: String, _ variables: [String: String], _ take: (ArraySlice<UInt8>) -> Void
  ) -> Int32 {
    var pipeEnds: [Int32] = [0, 0]
    guard unsafe pipe(&pipeEnds) == 0 else { return 127 }
    for end in pipeEnds { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    unsafe posix_spawn_file_actions_adddup2(&actions, pipeEnds[1], STDOUT_FILENO)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    var process: pid_t = 0
    let inherited = environmentTexts.filter { text in !variables.keys.contains { text.hasPrefix($0 + "=") } }
    let result = unsafe withTexts(variables.map { "\($0.key)=\($0.value)" } + inherited) { environment in
      unsafe withTexts(["/bin/sh", "-c", command]) { words in
        unsafe posix_spawn(&process, "/bin/sh", &actions, nil, words, environment)
      }
    }
    close(pipeEnds[1])
    guard result == 0 else {
      close(pipeEnds[0])
      return 127
    }
    let code = read(pipeEnds[0], until: process, take)
    close(pipeEnds[0])
    return code
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

  /// As C has lists of texts: the last one is null.
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

  /// To the end of the output, or of the command: a server that it has started keeps the pipe open.
  private static func read(_ descriptor: Int32, until process: pid_t, _ take: (ArraySlice<UInt8>) -> Void) -> Int32 {
    var piece = [UInt8](repeating: 0, count: 65_536)
    var status: Int32 = 0
    var hasEnded = false
    while true {
      if !hasEnded { hasEnded = unsafe waitpid(process, &status, WNOHANG) == process }
      var set = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let count = unsafe poll(&set, 1, hasEnded ? 0 : 20)
      guard count > 0 else {
        if hasEnded { break }
        continue
      }
      let length = unsafe Glibc.read(descriptor, &piece, piece.count)
      guard length > 0 else {
        if !hasEnded { _ = unsafe waitpid(process, &status, 0) }
        break
      }
      take(piece[..<length])
    }
    return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
  }
}
