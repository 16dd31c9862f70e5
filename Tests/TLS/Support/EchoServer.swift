import Base
import Network
import TLS

/// Says back what it hears. A first byte `b` begins a body that never ends, `f` an answer without end, and `a` an answer after a
/// tenth of a second.
struct EchoSession: ByteSession {
  var wishes = SessionWishes()

  mutating func receive(_ input: Span<UInt8>, _ output: inout SessionOutput) -> Int {
    switch input[0] {
    case UInt8(ascii: "b"): wishes.phase = .body(message: 1)
    case UInt8(ascii: "f"): (wishes.phase, wishes.hasMoreOutput) = (.answering, true)
    case UInt8(ascii: "a"): (wishes.phase, wishes.alarm) = (.answering, output.now + .milliseconds(100))
    default: break
    }
    if wishes.phase == .idle { for index in 0..<input.count { output.bytes.append(input[index]) } }
    return input.count
  }

  mutating func inputEnded(_ output: inout SessionOutput) {}
  mutating func deliver(_ message: Never, _ output: inout SessionOutput) {}
  mutating func produce(_ output: inout SessionOutput) { output.bytes += [UInt8](repeating: 0x78, count: 16_384) }

  mutating func alarmFired(_ output: inout SessionOutput) {
    (wishes.phase, wishes.alarm) = (.idle, nil)
    output.bytes.append(UInt8(ascii: "a"))
  }

  mutating func timedOut(_ limit: TimeLimit, _ output: inout SessionOutput) {}
  mutating func drain(_ output: inout SessionOutput) {}
  mutating func closed(_ reason: CloseReason, now: MonotonicInstant) {}
}

/// Loops with TLS, and nothing above them.
final class EchoServer {
  let certificates: TestCertificates
  let group: LoopGroup<EchoSession>

  init(
    applying faults: (any HandshakeFaultSource)? = nil, _ adjust: (inout NetworkConfiguration) -> Void = { _ in }
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

  /// Returns when what clients have sent before has been seen. A turn makes handshakes behind the answers of connections: when it
  /// gives the first of these, the clients are accepted or the next turn does it, and so on.
  func makeHandshakes(beside known: TestClient) throws {
    for _ in 0..<3 { _ = try talk(known) }
  }

  /// Sends a word and waits for it.
  func talk(_ client: TestClient) throws -> Bool {
    try client.send("hello")
    return try client.receive(until: "hello") == "hello"
  }
}
