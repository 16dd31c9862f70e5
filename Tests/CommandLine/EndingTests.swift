import Glibc
import Support
import Testing
import Threaded

@testable import CommandLine

/// How `simulate` ends when it is not left to its end, or when it was too slow to mean anything.
@Suite(.waits, .timeLimit(.minutes(10))) struct EndingTests {
  /// Signals of two kinds are two, however fast they come. With the first alone the phones would have five seconds to deliver,
  /// and the run its summary.
  @Test func theSecondSignalEndsItAtOnce() throws {
    let (arrivals, arrived) = try ChildProcess.pipe()
    defer { for end in [arrivals, arrived] { close(end) } }
    // Whatever is uploaded waits for an answer in vain.
    let server = try BareServer { request in
      if request.lines[0].hasPrefix("GET") { return .ok() }
      _ = unsafe write(arrived, "!", 1)
      return .silence
    }
    let child = try SpokenChild([
      BuiltProgram.path(of: "rollingroad"), "simulate", "first-drive", "--quiet", "--mode", "accelerated", "--factor",
      "60", "--duration", "10h", "--target", server.url, "--preset", "traccar",
    ])
    var byte: UInt8 = 0
    #expect(unsafe read(arrivals, &byte, 1) == 1)
    child.process.signal(SIGINT)
    child.process.signal(SIGTERM)
    #expect(child.finish() == 105)
    #expect(child.output.hasPrefix("seed 0x1\n") && !child.output.contains("hash"), "\(child.output)")
  }

  /// As from a tool that signals a process and its group.
  @Test func theSameSignalTwiceInAMomentIsOne() throws {
    let server = try BareServer { _ in .ok("{}") }
    let child = try SpokenChild([
      BuiltProgram.path(of: "rollingroad"), "simulate", "first-drive", "--quiet", "--mode", "accelerated", "--factor",
      "60", "--duration", "10h", "--target", server.url, "--preset", "traccar",
    ])
    try child.wait(for: "seed ")
    // For long enough that some are heard apart, and much shorter than the moment, also on a busy machine.
    let clock = ContinuousClock()
    let end = clock.now + .milliseconds(50)
    while clock.now < end {
      child.process.signal(SIGINT)
      sched_yield()
    }
    #expect(child.finish() == 105)
    #expect(child.output.contains("hash"), "\(child.output)")
  }

  /// As with `| true`: the verdict and the files are those of a run whose words are read.
  @Test func whoReadsItsWordsDoesNotMatter() throws {
    let folder = try TemporaryFolder()
    let scenario = """
      { version: 1, name: "never", seed: 1, clock: { duration: "10m", settle: "80ms" },
        sdk: { config: { http: { autoSyncThreshold: 5 } } }, fleets: { cars: { devices: 1, network: "none" } } }
      """
    try folder.write(Array(scenario.utf8), to: "never.json5")
    let (unread, words) = try ChildProcess.pipe()
    close(unread)
    defer { close(words) }
    let child = try ChildProcess(
      [
        BuiltProgram.path(of: "rollingroad"), "simulate", folder.file("never.json5"), "--out", folder.file("out"),
      ], places: [STDOUT_FILENO: words, STDERR_FILENO: words])
    #expect(child.exitCode() == 98)
    #expect(folder.names(in: "out/failures/never-1").contains("report.md"))
  }

  private func run(_ words: [String]) -> CommandCall {
    CommandCall(["simulate", "first-drive", "--quiet", "--mode", "accelerated", "--factor", "1000"] + words)
  }

  /// A generator that was late says nothing about the server. What is late is a quarter of a second, unless the scenario says
  /// something else.
  @Test func aLateGeneratorMakesARunInvalid() throws {
    let server = try BareServer { _ in .ok() }
    let words = ["--duration", "2m", "--target", server.url, "--preset", "traccar"]
    let usual = run(words)
    #expect(usual.output.contains("generator_lag           p(99)<250"), "\(usual.output)")
    let late = run(words + ["--set", "thresholds={ generator_lag: [{ threshold: 'max<0', onFail: 'invalidate' }] }"])
    #expect(late.code == .runInvalid && late.code.rawValue == 97, "\(late.output)")
  }
}
