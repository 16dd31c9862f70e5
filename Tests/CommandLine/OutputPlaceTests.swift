import Glibc
import Support
import Testing

@testable import CommandLine

/// What cannot be written where it is to go is no success, and nothing that is there is lost.
@Suite struct OutputPlaceTests {
  @Test(arguments: ["schema", "version", "scenarios first-drive", "--help", "simulate --help"])
  func aFullStandardOutputIsNoSuccess(words: String) throws {
    let line = "exec \"$0\" \(words) > /dev/full"
    let child = try SpokenChild(["sh", "-c", line, BuiltProgram.path(of: "rollingroad")])
    #expect(child.finish() == 1)
    #expect(child.output == "rollingroad: cannot write standard output: No space left on device\n")
  }

  @Test(arguments: ["simulate first-drive --out", "merge a b --out", "compare a b --out", "trace a.csv --to gpx --out"])
  func aFolderWithoutANameIsRefused(words: String) {
    let call = CommandCall(words.split(separator: " ").map(String.init) + [""])
    #expect(call.code == .usage && call.error.contains("--out is empty"))
    let variable = CommandCall(
      words.split(separator: " ").dropLast().map(String.init), environment: ["ROLLINGROAD_OUT": ""])
    #expect(variable.code == .usage && variable.error.contains("ROLLINGROAD_OUT is empty"))
  }

  @Test func whatIsNoRegularFileStays() throws {
    let folder = try TemporaryFolder()
    let pipe = folder.file("pipe.gpx")
    try #require(unsafe mkfifo(pipe, 0o600) == 0)
    let call = CommandCall(
      ["trace", "a.csv", "--to", "gpx", "--out", pipe],
      files: ["a.csv": "lat,lon,time\n48.1,11.5,2026-03-02T06:30:00Z\n48.2,11.5,2026-03-02T06:40:00Z\n"])
    #expect(call.code == .runtimeFailure && call.error.contains("is no regular file"))
    var status = stat()
    #expect(unsafe lstat(pipe, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
  }
}
