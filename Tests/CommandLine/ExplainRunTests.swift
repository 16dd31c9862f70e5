import Base
import CurlTransport
import FleetSimulator
import IngestServer
import Support
import Testing
import Threaded
import Upload

@testable import CommandLine

/// A server keeps the records of each run apart: what was uploaded to another run is not lost in this one (docs/explain.md).
@Suite(.waits) struct ExplainRunTests {
  private static let uuid = "3f2504e0-4f89-41d3-9a0c-0305e82c3301"

  private static func upload(_ uuid: String, to url: String) throws {
    let body =
      #"{"location":{"uuid":"\#(uuid)","timestamp":"2026-07-28T18:34:22.563Z","coords":{"latitude":48.1,"longitude":11}}}"#
    let client = try BlockingHTTPClient(TransportConfiguration())
    let outcome = client.ask(url + "/locations/phone-1", by: "POST", body: Array(body.utf8))
    guard case .answered(200, reason: _, _) = outcome else { throw ChildProcess.Failure("\(outcome)") }
  }

  private func expectElsewhere(_ words: [String], _ hint: String) {
    let call = CommandCall(["explain"] + words)
    #expect(
      call.code == .runInvalid && call.output.contains("no source knows"), "\(words): \(call.output)\(call.error)")
    #expect(call.output.contains("another run has requests of it: \(hint)\n"), "\(call.output)")
    #expect(!call.output.contains("lost"), "\(call.output)")
  }

  private func expectStored(_ words: [String]) {
    let call = CommandCall(["explain"] + words)
    #expect(call.code == .ok && call.output.contains("stored once"), "\(words): \(call.output)\(call.error)")
    #expect(!call.output.contains("another run"), "\(call.output)")
  }

  @Test func whatIsInAnotherRunOfAServerIsNotLost() throws {
    let server = try LocalServer.start()
    defer { server.stop() }
    let other = "3f2504e0-4f89-41d3-9a0c-0305e82c3302"
    try Self.upload(Self.uuid, to: server.url + "/r/nightly")
    for question in [Self.uuid, "phone-1"] {
      expectElsewhere([question, "--journal", server.url], "--journal \(server.url)/r/nightly")
      expectStored([question, "--journal", server.url + "/r/nightly"])
    }
    // A device of the same name has a record here, too.
    try Self.upload(other, to: server.url)
    expectStored(["phone-1", "--journal", server.url + "/"])
    expectStored([other, "--journal", server.url])
    expectElsewhere([Self.uuid, "--journal", server.url], "--journal \(server.url)/r/nightly")
    expectElsewhere([Self.uuid, "--journal", server.url + "/r/weekly"], "--journal \(server.url)/r/nightly")
    expectElsewhere([other, "--journal", server.url + "/r/nightly"], "--journal \(server.url)")
  }

  @Test func whatIsInAnotherRunOfAFolderIsNotLost() throws {
    let folder = try TemporaryFolder()
    let server = try LocalServer.start(in: folder.file("data"))
    try Self.upload(Self.uuid, to: server.url + "/r/nightly")
    server.stop()
    for question in [Self.uuid, "phone-1"] {
      expectElsewhere([question, "--journal", folder.file("data")], "--run nightly")
      expectStored([question, "--journal", folder.file("data"), "--run", "nightly"])
    }
  }
}
