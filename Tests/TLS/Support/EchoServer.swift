import Base
import Network
import TLS

/// Says back what it hears; a first byte `b` begins a body that never ends.
struct EchoSession: ByteSession {
  var wishes = SessionWishes()

  mutating func receive(_ input: Span<UInt8>, _ output: inout SessionOutput) -> Int {
    if input[0] == UInt8(ascii: "b") { wishes.phase = .body(message: 1) }
    if wishes.phase == .idle { for index in 0..<input.count { output.bytes.append(input[index]) } }
    return input.count
  }

  mutating func inputEnded(_ output: inout SessionOutput) {}
  mutating func deliver(_ message: Never, _ output: inout SessionOutput) {}
  mutating func produce(_ output: inout SessionOutput) {}
  mutating func alarmRang(_ output: inout SessionOutput) {}
  mutating func timedOut(_ limit: TimeLimit, _ output: inout SessionOutput) {}
  mutating func drain(_ output: inout SessionOutput) {}
  mutating func closed(_ reason: CloseReason, now: MonotonicInstant) {}
}

/// Loops with TLS, and nothing above them.
final class EchoServer {
  let certificates: TestCertificates
  let group: LoopGroup<EchoSession>

  init(
    meeting faults: (any HandshakeFaultSource)? = nil, _ adjust: (inout NetworkConfiguration) -> Void = { _ in }
  ) throws {
    certificates = try TestCertificates()
    let files = try certificates.issue("server")
    let identity = try TLSIdentity(TLSFiles(certificate: files.certificate, key: files.key)) { _ in }
    var configuration = NetworkConfiguration()
    let address = try ListenAddress(parsing: "127.0.0.1:0")
    configuration.secure = SecureListening(address, identity, plainAnswer: [], faults: faults)
    adjust(&configuration)
    group = try LoopGroup(configuration, on: address) { _, _ in { _ in EchoSession() } }
  }

  var port: UInt16 { group.secureAddress?.port ?? 0 }
  var total: LoopFigures { group.figures.reduce(LoopFigures(), +) }
  var trusting: TestClient.Wishes { TestClient.Wishes(authority: certificates.authority) }

  func connect() throws -> TestClient { try TestClient(port: port, trusting) }

  /// Sends a word and waits for it.
  func talk(_ client: TestClient) throws -> Bool {
    try client.send("hello")
    return try client.receive(until: "hello") == "hello"
  }
}
