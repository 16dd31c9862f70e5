import Glibc
import JSON
import Support
import Testing
import Threaded

/// A simulator that is killed in the middle of a run.
@Suite(.waits, .timeLimit(.minutes(5))) struct KilledRunTests {
  /// The kernel tells of each write into the folder, so that nothing is waited for by time.
  @Test func kill9LeavesTheEventsThatWereStreamed() throws {
    let server = try BareServer { $0.lines[0].hasPrefix("POST") ? .ok("{}") : .ok("[]") }
    let folder = try TemporaryFolder()
    let watch = inotify_init1(Int32(IN_CLOEXEC))
    try #require(watch >= 0)
    defer { _ = close(watch) }
    try #require(unsafe inotify_add_watch(watch, folder.path, UInt32(IN_MODIFY)) >= 0)
    let child = try ChildProcess([
      BuiltProgram.path(of: "rollingroad"), "simulate", "first-drive", "--quiet", "--mode", "accelerated", "--factor",
      "60",
      "--duration", "10h", "--target", server.url, "--preset", "traccar", "--out", folder.path,
    ])
    var text = ""
    while !text.contains("\"sent\"") {
      var notices = [UInt8](repeating: 0, count: 4_096)
      try #require(unsafe read(watch, &notices, notices.count) > 0)
      text = String(decoding: try folder.read("events.ndjson"), as: UTF8.self)
    }
    child.signal(SIGKILL)
    #expect(child.exitCode() == -SIGKILL)
    let lines = try folder.read("events.ndjson").split(separator: UInt8(ascii: "\n"))
    #expect(lines.count > 1)
    for line in lines { #expect(try JSONValue(parsing: Array(line).span)["event"] != nil) }
  }
}
