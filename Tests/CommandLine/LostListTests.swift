import JSON
import Support
import Testing

@testable import CommandLine

/// Every record that a server has lost is named, however many there are.
@Suite struct LostListTests {
  private static let scenario = """
    {
      version: 1, name: "lossy", seed: 3, clock: { duration: "6m", settle: "1m" },
      fleets: { cars: { devices: 2, motion: "driving", network: "wifi" } },
      invariants: { onViolation: "continue" },
    }
    """

  private let server: BareServer

  init() throws {
    server = try BareServer { request in .ok(request.lines[0].hasPrefix("GET") ? "[]" : "{}") }
  }

  private func run(_ folder: TemporaryFolder, _ words: String...) throws -> CommandCall {
    CommandCall(
      [
        "simulate", "lossy.json5", "--quiet", "--mode", "lockstep", "--target", server.url + "up", "--verify",
        server.url + "list?device={device}",
      ] + words, files: ["lossy.json5": Self.scenario])
  }

  private func lines(_ folder: TemporaryFolder, _ name: String) throws -> [JSONValue] {
    try folder.read(name).split(separator: UInt8(ascii: "\n")).map { try JSONValue(parsing: Array($0).span) }
  }

  @Test func eachLostRecordStandsOnALine() throws {
    let folder = try TemporaryFolder()
    let call = try run(folder, "--out", folder.file("out"))
    #expect(call.code == .invariantViolated, "\(call.output)\(call.error)")
    let bytes = try folder.read("out/summary.json")
    let summary = try JSONValue(parsing: bytes.span)
    let lines = try lines(folder, "out/lost.ndjson")
    #expect(lines.count > 8 && summary["ledger"]?["lost"] == .integer(Int64(lines.count)), "\(call.output)")
    #expect(Set(lines.compactMap { $0["uuid"]?.string }).count == lines.count)
    #expect(lines[0]["device"]?.string?.hasPrefix("cars-") == true && lines[0]["cause"]?.string == "missing")
    #expect(lines.allSatisfy { $0["status"] == .integer(200) && $0["records"] != .integer(0) })
    #expect(call.output.contains("the \(lines.count) lost records, each on a line: "), "\(call.output)")
    #expect(call.output.contains("  wrote \(folder.file("out"))/lost.ndjson"), "\(call.output)")
  }

  @Test func whatAnEarlierRunHasLostIsForgotten() throws {
    let folder = try TemporaryFolder()
    #expect(try run(folder, "--out", folder.file("out")).code == .invariantViolated)
    #expect(folder.names(in: "out").contains("lost.ndjson"))
    let call = CommandCall(["simulate", "first-drive", "--duration", "2m", "--quiet", "--out", folder.file("out")])
    #expect(call.code == .ok && !folder.names(in: "out").contains("lost.ndjson"), "\(call.output)\(call.error)")
  }

  @Test func shardsLeaveTheirsToTheWhole() throws {
    let folder = try TemporaryFolder()
    for shard in 0..<2 {
      let call = try run(folder, "--out", folder.file("\(shard)"), "--shard", "\(shard)/2")
      #expect(call.code == .invariantViolated, "\(call.output)\(call.error)")
    }
    let call = CommandCall(
      ["merge", folder.file("0"), folder.file("1"), "--out", folder.file("whole")],
      orElse: ProcessContext.live().readFile)
    #expect(call.code == .invariantViolated, "\(call.output)\(call.error)")
    // As well where the summaries are named.
    let named = CommandCall(
      ["merge", folder.file("0/summary.json"), folder.file("1"), "--out", folder.file("named")],
      orElse: ProcessContext.live().readFile)
    #expect(named.code == .invariantViolated, "\(named.output)\(named.error)")
    #expect(try folder.read("named/lost.ndjson") == folder.read("whole/lost.ndjson"))
    try folder.write([], to: "1/lost.ndjson")
    let half = CommandCall(
      ["merge", folder.file("0"), folder.file("1"), "--out", folder.file("half")],
      orElse: ProcessContext.live().readFile)
    let listed = try lines(folder, "half/lost.ndjson").count
    #expect(half.output.contains("\(listed) of the "), "\(half.output)")
    let parts = try lines(folder, "0/lost.ndjson").count + lines(folder, "1/lost.ndjson").count
    let all = try lines(folder, "whole/lost.ndjson").count
    #expect(parts == listed && all > parts && parts > 4)
    #expect(call.output.contains("the \(all) lost records, each on a line: "), "\(call.output)")
  }
}
