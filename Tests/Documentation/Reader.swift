import FoundationEssentials
import Glibc
import IngestServer
import ServerSupport
import Support
import Testing

/// Somebody who reads a page and types what it says: an empty folder, `rollingroad` on the path, a server at the address that
/// all pages have, and one command after the other.
final class Reader {
  let folder: String
  let server: IngestServer
  /// What `rollingroad` and `curl` are at this desk. Functions of the shell and no files: a file that was just written is busy
  /// for as long as another test's process, begun meanwhile, has not let go of it.
  private let programs: String

  init() throws {
    folder = "\(FileManager.default.temporaryDirectory.path)/rollingroad-reader-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: "\(folder)/bin", withIntermediateDirectories: true)
    server = try IngestServer(.loopback(data: "\(folder)/data", loops: 1))
    // A phone without a terminal takes its keys from the input, and there are none. An answer that is no success is a failure.
    try FileManager.default.createSymbolicLink(
      atPath: "\(folder)/bin/rollingroad", withDestinationPath: BuiltProgram.path(of: "rollingroad"))
    programs = """
      PATH="$PWD/bin:$PATH"
      rollingroad() {
        case "$1" in
          drive) local -x ROLLINGROAD_TARGET='\(server.url)' ;;
          conform) local -x ROLLINGROAD_TIME_LIMIT=10m ;; # of a machine that has much else to do
        esac
        command rollingroad "$@"
      }
      curl() { command curl --fail-with-body "$@"; }
      """
  }

  deinit {
    server.stop()
    for child in [room?.child, proxy?.child] {
      child?.process.signal(SIGKILL)
      _ = child?.finish()
    }
    do { try FileManager.default.removeItem(atPath: folder) } catch { Issue.record("\(folder) stays: \(error)") }
  }

  /// Gives nothing for a command that did what it has to, else what went wrong.
  func complaint(about command: String) async -> String? {
    switch Treatment.of(command) {
    case .leftOut: return nil
    case .serves: return await complaint(about: Self.asServer(command), exitCode: 0)
    case .prepared(let preparation, let exitCode):
      if let complaint = await complaint(about: preparation, exitCode: 0) { return complaint }
      return await complaint(about: command, exitCode: exitCode)
    }
  }

  private func complaint(about text: String, exitCode: Int32) async -> String? {
    let outcome = await type(text)
    // A machine that is busy with other tests says so of a run in real time.
    let isLate = outcome.exitCode == 97 && outcome.output.contains("✗ generator_lag")
    return outcome.exitCode == exitCode || isLate
      ? nil : "exit code \(outcome.exitCode): \(text)\n\(outcome.output.suffix(2_000))"
  }

  /// Types a text as the pages have it.
  func type(_ text: String) async -> Shell.Outcome {
    var here = Treatment.shortened(text).replacing("http://127.0.0.1:8080", with: server.url)
    if here.contains("http://127.0.0.1:5665") {
      do { here = here.replacing("http://127.0.0.1:5665", with: try roomURL()) } catch {
        return Shell.Outcome(output: "there is no control room: \(error)", exitCode: -1)
      }
    }
    if here.contains("http://127.0.0.1:809") {
      do {
        let proxy = try proxyURLs()
        here = here.replacing("http://127.0.0.1:8090", with: proxy.traffic)
          .replacing("http://127.0.0.1:8091", with: proxy.administration)
      } catch { return Shell.Outcome(output: "there is no proxy: \(error)", exitCode: -1) }
    }
    for fixed in ["127.0.0.1:5665", "0.0.0.0:5665"] { here = here.replacing(fixed, with: "127.0.0.1:0") }
    return await Shell.run("cd '\(folder)'; set -euo pipefail\n\(programs)\n{ :\n\(here)\n} </dev/null")
  }

  /// Without the slash at its end. The run was begun in another terminal.
  private func roomURL() throws -> String {
    if let room { return room.url }
    let program = BuiltProgram.path(of: "rollingroad")
    let child = try SpokenChild([
      program, "simulate", "commuters", "--devices", "50", "--duration", "400d", "--quiet", "--dashboard",
      "127.0.0.1:0",
    ])
    let url = String(try child.line(beginningWith: "control room ").dropLast())
    room = (child, url)
    return url
  }

  /// In front of the server. It was begun in another terminal.
  private func proxyURLs() throws -> (traffic: String, administration: String) {
    if let proxy { return (proxy.traffic, proxy.administration) }
    let child = try SpokenChild([
      BuiltProgram.path(of: "rollingroad"), "proxy", "--upstream", server.url, "--listen", "127.0.0.1:0",
      "--admin-listen",
      "127.0.0.1:0", "--data", ":memory:",
    ])
    let traffic = try child.line(beginningWith: "listening ")
    proxy = (child, traffic, try child.line(beginningWith: "administration "))
    return try proxyURLs()
  }

  private var proxy: (child: SpokenChild, traffic: String, administration: String)?
  private var room: (child: SpokenChild, url: String)?

  /// On a free port, until it says that it listens.
  private static func asServer(_ command: String) -> String {
    """
    export ROLLINGROAD_LISTEN=127.0.0.1:0 ROLLINGROAD_ADMIN_LISTEN=127.0.0.1:0 ROLLINGROAD_DATA=:memory:
    coproc server { exec \(command); }
    pid=$server_PID
    read -r word _ <&"${server[0]}"
    [ "$word" = listening ]
    kill -TERM "$pid"
    wait "$pid"
    """
  }
}
