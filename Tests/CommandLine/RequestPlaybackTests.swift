import IngestServer
import Support
import Testing

@testable import CommandLine

/// A scenario with requests instead of fleets.
@Suite struct RequestPlaybackTests {
  private static let uuid = "3f2504e0-4f89-41d3-9a0c-0305e82c3301"

  private static func scenario(status: Int, verify: String = "") -> String {
    """
    { version: 1, name: "again", target: { \(verify) }, requests: [
      { device: "a", path: "/locations", headers: { "Content-Type": "application/json" }, status: \(status),
        body: '{"location":{"uuid":"\(uuid)","timestamp":"2026-07-28T18:34:22.563Z","coords":{"latitude":48.1,"longitude":11.5,"accuracy":5}},"device_id":"a"}' },
      { at: "20ms", device: "a", path: "/locations", bodyBase64: "eyJsb2Nh", status: 400 },
    ] }
    """
  }

  @Test(arguments: [
    (200, ExitCode.ok, "2 requests sent: all answers as they were"), (503, .thresholdFailed, "1 answer other"),
  ])
  func answersAreComparedWithWhatWasWritten(status: Int, code: ExitCode, words: String) throws {
    let server = try LocalServer.start(adminToken: "road")
    defer { server.stop() }
    let call = CommandCall(
      ["simulate", "again.json5", "--target", server.url], files: ["again.json5": Self.scenario(status: status)])
    #expect(call.code == code && call.output.contains(words), "\(call.output)\(call.error)")
    #expect(call.error == "")
  }

  @Test(arguments: [
    ("uuid", ExitCode.ok, "all stored"), ("nothing", .invariantViolated, "1 not stored for device 'a'"),
  ])
  func theStoreIsAskedForWhatWasAcknowledged(column: String, code: ExitCode, words: String) throws {
    let server = try LocalServer.start(adminToken: "road")
    defer { server.stop() }
    let folder = try TemporaryFolder()
    let line = column == "uuid" ? "{\"device\":\"a\",\"uuid\":\"\(Self.uuid)\"}\n" : ""
    try folder.write(Array(line.utf8), to: "stored")
    let text = Self.scenario(status: 200, verify: "verify: { file: '\(folder.file("stored"))' }")
    let call = CommandCall(["simulate", "again.json5", "--target", server.url], files: ["again.json5": text])
    #expect(call.code == code && call.output.contains(words), "\(call.output)\(call.error)")
  }

  @Test func withoutAServerNothingIsSent() {
    let call = CommandCall(["simulate", "again.json5"], files: ["again.json5": Self.scenario(status: 200)])
    #expect(call.code == .usage && call.error.contains("the requests of the scenario need a server"), "\(call.error)")
  }
}
