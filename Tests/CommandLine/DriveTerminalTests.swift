import CLinux
import Glibc
import Support
import Testing

@testable import CommandLine

/// `rollingroad drive` at a pseudo-terminal, as a process of its own.
@Suite(.timeLimit(.minutes(1)), .serialized) struct DriveTerminalTests {
  /// The program on a terminal, and the other end of that terminal.
  private final class Session {
    let leader: Int32
    private let follower: Int32
    let process: pid_t
    private(set) var output = ""

    init(_ words: [String]) throws {
      var (leader, follower): (Int32, Int32) = (-1, -1)
      try #require(unsafe openpty(&leader, &follower, nil, nil, nil) == 0)
      var actions = unsafe posix_spawn_file_actions_t()
      unsafe posix_spawn_file_actions_init(&actions)
      defer { unsafe posix_spawn_file_actions_destroy(&actions) }
      for descriptor in 0...2 as ClosedRange<Int32> {
        unsafe posix_spawn_file_actions_adddup2(&actions, follower, descriptor)
      }
      unsafe posix_spawn_file_actions_addclose(&actions, leader)
      // The threads of a test block signals, and a child would inherit that.
      var attributes = posix_spawnattr_t()
      unsafe posix_spawnattr_init(&attributes)
      defer { unsafe posix_spawnattr_destroy(&attributes) }
      var none = sigset_t()
      unsafe sigemptyset(&none)
      unsafe posix_spawnattr_setsigmask(&attributes, &none)
      unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
      var list = unsafe (["rollingroad", "drive", "--seed", "7"] + words).map { unsafe strdup($0) } + [nil]
      defer { unsafe list.forEach { unsafe free($0) } }
      var child: pid_t = 0
      try #require(unsafe posix_spawn(&child, Self.program, &actions, &attributes, &list, environ) == 0)
      (self.leader, self.follower, process) = (leader, follower, child)
    }

    deinit {
      kill(process, SIGKILL)
      close(leader)
      close(follower)
    }

    private static let program = BuiltProgram.path(of: "rollingroad")

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

    func exitCode() -> Int32 {
      var status: Int32 = 0
      unsafe waitpid(process, &status, 0)
      return status & 0x7F == 0 ? status >> 8 & 0xFF : -(status & 0x7F)
    }
  }

  /// Nobody listens at the discard port.
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
