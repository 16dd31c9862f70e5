package import Base
import Glibc

/// `rollingroad serve` as a child, alone or under a wrapper such as strace.
package final class ServerProcess {
  package let child: ChildProcess
  package let port: UInt16
  package let startedAt: MonotonicInstant
  /// From the call that started it to its `listening` line.
  package let untilListening: Nanoseconds
  private let folder: String
  private let output: Int32

  /// Returns when the server listens; fails when it ends before. Its records are in the folder, unless `data` names another place.
  /// `wrapper` stands before the server's own command line. What it writes to its standard error goes to a file beside the folder, with
  /// the ending `.log`.
  package init(
    program: String, folder: String, data: String? = nil, flags: [String] = [], wrapper: [String] = []
  ) throws(ChildProcess.Failure) {
    let log = unsafe open(folder + ".log", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard log >= 0 else { throw ChildProcess.Failure("\(folder).log: errno \(errno)") }
    defer { _ = close(log) }
    let (read, write) = try ChildProcess.pipe()
    let clock = SystemClock()
    startedAt = clock.monotonicNow
    do throws(ChildProcess.Failure) {
      defer { _ = close(write) }
      child = try ChildProcess(
        wrapper + [program, "serve", "--listen", "127.0.0.1:0", "--data", data ?? folder] + flags,
        places: [STDOUT_FILENO: write, STDERR_FILENO: log])
    } catch {
      _ = close(read)
      throw error
    }
    _ = close(write)
    (output, self.folder) = (read, folder)
    let port = ServerProcess.port(saidOver: read)
    untilListening = clock.monotonicNow - startedAt
    guard let port else { throw ChildProcess.Failure("the server did not start; see \(folder).log") }
    self.port = port
  }

  deinit { _ = close(output) }

  /// The first line is `listening http://127.0.0.1:PORT`.
  private static func port(saidOver descriptor: Int32) -> UInt16? {
    var line: [UInt8] = []
    var byte: UInt8 = 0
    while unsafe read(descriptor, &byte, 1) == 1, byte != UInt8(ascii: "\n") { line.append(byte) }
    return String(decoding: line, as: UTF8.self).split(separator: ":").last.flatMap { UInt16($0) }
  }

  /// What a power switch does to a process.
  package func killAtOnce() {
    child.signal(SIGKILL)
    _ = child.exitCode()
  }

  /// SIGTERM to the server itself, which is not our child when a wrapper stands between. Returns the child's exit code.
  @discardableResult package func stop() -> Int32 {
    _ = kill(lockOwner ?? child.id, SIGTERM)
    return child.exitCode()
  }

  private var lockOwner: pid_t? {
    let descriptor = unsafe open(folder + "/lock", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { _ = close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 20)
    let count = unsafe read(descriptor, &bytes, bytes.count)
    return pid_t(String(decoding: bytes.prefix(max(0, count)).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
  }
}
