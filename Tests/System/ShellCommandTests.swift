import Glibc
import Support
import Testing

@testable import Shell

/// Commands that end, that do not, and what they inherit.
@Suite(.timeLimit(.minutes(10))) struct ShellCommandTests {
  private func run(_ command: String, within milliseconds: Int = 30_000) -> (end: ShellCommand.End, output: String) {
    var output: [UInt8] = []
    let end = ShellCommand.run(command, ["WORD": "a b"], within: milliseconds) {
      output += $0
      return true
    }
    return (end, String(decoding: output, as: UTF8.self))
  }

  @Test func outputAndCodeAreTheCommands() {
    #expect(run("echo \"$WORD\"; exit 3") == (.code(3), "a b\n"))
    #expect(run("kill -KILL $$") == (.code(137), ""))
  }

  /// A program that waits for signals blocks them in all of its threads, as this test does in its own.
  @Test func aCommandHearsSignalsThatItsParentBlocks() {
    var signals = sigset_t()
    var before = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe sigaddset(&signals, SIGTERM)
    unsafe pthread_sigmask(SIG_BLOCK, &signals, &before)
    let result = run("kill -TERM $$; echo heard nothing")
    unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
    #expect(result == (.code(143), ""))
  }

  @Test func aCommandReadsNothing() { #expect(run("readlink /proc/self/fd/0") == (.code(0), "/dev/null\n")) }

  @Test(arguments: ["tail -f /dev/null", "exec >&-; exec sleep 60", "while :; do echo; done"])
  func aCommandThatDoesNotEndIsEnded(command: String) { #expect(run(command, within: 50).end == .timeout) }

  @Test func whatItHasStartedEndsWithIt() throws {
    let folder = try TemporaryFolder()
    let fifo = folder.file("fifo")
    try #require(unsafe mkfifo(fifo, 0o600) == 0)
    let reader = unsafe open(fifo, O_RDONLY | O_NONBLOCK)
    defer { close(reader) }
    // The child holds the other end of the pipe for as long as it lives.
    let end = ShellCommand.run("exec 3>'\(fifo)'; sleep 60 & echo begun; wait", [:]) { _ in false }
    #expect(end == .unwanted)
    var set = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
    #expect(unsafe poll(&set, 1, 10_000) == 1 && Int32(set.revents) & Int32(POLLHUP) != 0)
  }

  @Test func aReaderThatHasEnoughEndsTheCommand() {
    var pieces = 0
    let end = ShellCommand.run("while :; do echo; done", [:]) { _ in
      pieces += 1
      return pieces < 3
    }
    #expect(end == .unwanted && pieces == 3)
  }
}
