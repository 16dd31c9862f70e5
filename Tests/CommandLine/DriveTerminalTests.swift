import CLinux
import Glibc
import Support
import Testing
import Threaded

@testable import CommandLine

/// `rollingroad drive` at a pseudo-terminal, as a process of its own.
@Suite(.waits, .timeLimit(.minutes(10)), .serialized) struct DriveTerminalTests {
  /// The program on a terminal, and the other end of that terminal.
  private final class Session {
    let leader: Int32
    private let follower: Int32
    private let child: ChildProcess
    private(set) var output = ""

    init(_ words: [String]) throws {
      var (leader, follower): (Int32, Int32) = (-1, -1)
      try #require(unsafe openpty(&leader, &follower, nil, nil, nil) == 0)
      for descriptor in [leader, follower] { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
      let command = [BuiltProgram.path(of: "rollingroad"), "drive", "--seed", "7"]
      child = try ChildProcess(command + words, places: [0: follower, 1: follower, 2: follower])
      (self.leader, self.follower) = (leader, follower)
    }

    deinit {
      close(leader)
      close(follower)
    }

    var process: pid_t { child.id }

    func type(_ text: String) { _ = unsafe write(leader, text, text.utf8.count) }

    /// Reads until the text has come.
    func wait(for text: String) throws {
      while !output.contains(text) {
        var piece = [UInt8](repeating: 0, count: 4_096)
        let count = unsafe read(leader, &piece, piece.count)
        try #require(count > 0, "\(output) ends without \(text)")
        output += String(decoding: piece[..<count], as: UTF8.self)
      }
    }

    /// Keys are echoed and come by lines, as at a shell.
    var isAsAtAShell: Bool {
      var mode = termios()
      return unsafe tcgetattr(follower, &mode) == 0 && mode.c_lflag & tcflag_t(ICANON) != 0
        && mode.c_lflag & tcflag_t(ECHO) != 0
    }

    func exitCode() -> Int32 { child.exitCode() }
  }

  /// The discard port has no listener.
  private static let nowhere = ["--target", "http://127.0.0.1:9"]

  @Test func keysDoWhatTheySayAndQuitGivesTheTerminalBack() throws {
    let session = try Session(Self.nowhere)
    try session.wait(for: "? lists the keys")
    try session.wait(for: "at rest · stationary")
    #expect(!session.isAsAtAShell)
    session.type("?")
    try session.wait(for: "swipe the app away")
    session.type("\u{1B}[A")
    session.type("d")
    try session.wait(for: "· you drive")
    try session.wait(for: " km/h · ")
    session.type("k")
    try session.wait(for: "iOS starts it again")
    #expect(!session.output.contains("· airplane mode on\r"), "an arrow is no key")
    session.type("q")
    try session.wait(for: "still on the phone")
    #expect(session.exitCode() == 0 && session.isAsAtAShell)
  }

  @Test(arguments: [SIGTERM, SIGINT, SIGHUP, SIGQUIT])
  func aSignalEndsItWithTheAccountAndTheTerminalIsBack(signal: Int32) throws {
    let session = try Session(Self.nowhere)
    try session.wait(for: "at rest · stationary")
    kill(session.process, signal)
    try session.wait(for: "still on the phone")
    #expect(session.exitCode() == 105 && session.isAsAtAShell)
  }

  @Test(arguments: [SIGSEGV, SIGILL, SIGABRT])
  func aCrashGivesTheTerminalBack(signal: Int32) throws {
    let session = try Session(Self.nowhere)
    try session.wait(for: "at rest · stationary")
    kill(session.process, signal)
    #expect(session.exitCode() == -signal || session.exitCode() == -(signal | 0x80))
    #expect(session.isAsAtAShell)
  }

  @Test func suspendedItGivesTheTerminalBackForAWhile() throws {
    let session = try Session(Self.nowhere)
    try session.wait(for: "at rest · stationary")
    kill(session.process, SIGTSTP)
    var status: Int32 = 0
    unsafe waitpid(session.process, &status, WUNTRACED)
    #expect(status & 0xFF == 0x7F && session.isAsAtAShell)
    kill(session.process, SIGCONT)
    session.type("d")
    try session.wait(for: "· you drive")
    #expect(!session.isAsAtAShell)
    session.type("q")
    try session.wait(for: "still on the phone")
    #expect(session.exitCode() == 0 && session.isAsAtAShell)
  }
}
