import Glibc
import Support
import Synchronization
import TLS
import Testing

@testable import Sinks

/// `simulate --verify nats://…`: phones drive at a backend that sends its records on, and what arrived is held against what was
/// acknowledged.
@Suite(.timeLimit(.minutes(10)), .enabled(if: StreamServer.isInstalled, "needs nats-server and libnats"))
struct StreamVerificationTests {
  /// Sends on what it takes, before it answers.
  private final class Backend: Sendable {
    enum Plant: Sendable { case none, loss, repetition, disorder }

    private struct State {
      var records = 0
      var kept: (subject: String, message: String)?
    }

    private let state = Mutex(State())
    private let plant: Plant
    private let stream: StreamClient

    init(_ plant: Plant, _ stream: StreamClient) { (self.plant, self.stream) = (plant, stream) }

    func take(_ request: BareServer.Request) throws {
      let device = "phones-0"
      let text = String(decoding: request.body, as: UTF8.self)
      for part in text.split(separator: "\"uuid\":\"").dropFirst() {
        let uuid = part.prefix { $0 != "\"" }
        let message = #"{"id":"\#(uuid.lowercased())","device":"\#(device)","run":"","record":{"uuid":"\#(uuid)"}}"#
        let subject = "road.-." + device
        let (number, kept) = state.withLock { state in
          defer { state.records += 1 }
          return (state.records, state.kept)
        }
        switch (plant, number) {
        case (.loss, 3): break
        case (.disorder, 3): state.withLock { $0.kept = (subject, message) }
        case (.repetition, 3):
          try stream.publish(subject, message)
          try stream.publish(subject, message)
        default: try stream.publish(subject, message)
        }
        // Behind a record of the same device that came in a later request.
        if let kept, kept.subject == subject, number > 8 {
          try stream.publish(kept.subject, kept.message)
          state.withLock { $0.kept = nil }
        }
      }
    }
  }

  private func run(_ plant: Backend.Plant) throws -> (code: Int32, output: String) {
    let stream = try StreamServer()
    let backend = Backend(plant, stream.client)
    let server = try BareServer { request in
      guard request.lines[0].hasPrefix("POST") else { return .ok() }
      do { try backend.take(request) } catch { return .text("HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n") }
      return .ok()
    }
    let call = try SpokenChild([
      BuiltProgram.path(of: "rollingroad"), "simulate", "first-drive", "--quiet", "--mode", "lockstep", "--processes",
      "1",
      "--devices", "1", "--target", server.url + "locations", "--verify", "nats://127.0.0.1:\(stream.port)/road",
    ])
    let code = call.finish()
    return (code, call.output)
  }

  /// The server that sends and the run that reads have the same URL, each with its token in a file and the authority of the stream.
  @Test func overTLSWithATokenTheURLOfTheSinkIsReadBack() throws {
    let folder = try TemporaryFolder()
    let authority = DevelopmentAuthority(in: folder.file("tls"), names: [])
    let stream = try StreamServer(token: "right", authority: authority)
    let url = "tls://localhost:\(stream.port)/road"
    try folder.write(Array("right\n".utf8), to: "token")
    try folder.write(Array("wrong\n".utf8), to: "other")
    let server = try SpokenChild(
      [
        "env", "ROLLINGROAD_FORWARD_TOKEN_FILE=\(folder.file("token"))", BuiltProgram.path(of: "rollingroad"), "serve",
        "--listen", "127.0.0.1:0", "--data", ":memory:", "--loops", "1",
        "--forward", url, "--forward-ca", authority.authorityFile,
      ])
    let address = try server.line(beginningWith: "listening ").split(separator: " ").last ?? ""
    let simulate = { (token: String, authority: String) throws in
      let call = try SpokenChild(
        [
          "env", "ROLLINGROAD_VERIFY_TOKEN_FILE=\(folder.file(token))", BuiltProgram.path(of: "rollingroad"),
          "simulate", "first-drive", "--preset", "rollingroad", "--quiet", "--mode", "lockstep", "--processes", "1",
          "--devices", "1", "--target", "\(address)/locations", "--verify", url + authority,
          "--set", "target.verify.readDelay=1s",
        ])
      return (call.finish(), call.output)
    }
    let (code, output) = try simulate("token", "?ca=\(authority.authorityFile)")
    #expect(code == 0 && !output.contains("storage not verified"), "\(output)")
    for (token, authority) in [("other", "?ca=\(authority.authorityFile)"), ("token", ""), ("missing", "")] {
      let (code, output) = try simulate(token, authority)
      #expect(code == 97, "\(token) \(authority): \(output)")
    }
    server.process.signal(SIGTERM)
    #expect(server.finish() == 0)
  }

  @Test func whatArrivedIsWhatWasAcknowledged() throws {
    let (code, output) = try run(.none)
    #expect(code == 0 && !output.contains("storage not verified"), "\(output)")
  }

  @Test func aRepetitionWithTheSameIDIsToldAndNoMistake() throws {
    let (code, output) = try run(.repetition)
    #expect(code == 0 && output.contains("1 message arrived again with the same id"), "\(output)")
  }

  @Test func aRecordThatDidNotArriveIsLost() throws {
    let (code, output) = try run(.loss)
    #expect(code == 98 && output.contains("not in the server's store"), "\(output)")
  }

  @Test func aRecordBehindThoseThatWereSentLaterIsOutOfOrder() throws {
    let (code, output) = try run(.disorder)
    #expect(code == 98 && output.contains("which was acknowledged before it was sent"), "\(output)")
  }
}
