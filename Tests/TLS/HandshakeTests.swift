import Base
import Support
import Testing
import Threads

@testable import Network
@testable import TLS

/// Clients that have not become connections yet, and what they may cost.
@Suite(.timeLimit(.minutes(10))) struct HandshakeTests {
  /// The beginning of a record: a handshake has begun and does not go on.
  private static let beginning: [UInt8] = [0x16, 3, 1, 2]

  private func begin(at server: EchoServer) throws -> LoopbackClient {
    let client = try LoopbackClient(port: server.port)
    try client.send(HandshakeTests.beginning)
    return client
  }

  @Test func theOldestGoesWhenTooManyHaveBegun() throws {
    let server = try EchoServer { $0.handshakesMax = 1 }
    let known = try server.connect()
    #expect(try server.talk(known))
    let oldest = try begin(at: server)
    try server.makeHandshakes(beside: known)
    #expect(try server.talk(server.connect()))
    #expect(try oldest.receiveToEnd().text == "")
    #expect(server.total.handshakesFailed(.crowded) == 1)
  }

  @Test func aHandshakeHasItsTime() throws {
    let server = try EchoServer { $0.times.handshake = .milliseconds(20) }
    let silent = try LoopbackClient(port: server.port)
    let slow = try begin(at: server)
    for client in [silent, slow] { #expect(try client.receiveToEnd().text == "") }
    #expect(server.total.handshakesFailed(.timeout) == 2)
  }

  /// However long a turn has served others before.
  @Test func everyTurnHasTimeForOne() throws {
    let server = try EchoServer { $0.handshakesPerTurn = .zero }
    for _ in 0..<2 { #expect(try server.talk(server.connect())) }
  }

  /// Holds a loop in the handshake with the host `gate`, so that what arrives meanwhile is all there when it opens.
  private final class Gate: HandshakeFaultSource {
    let (reached, opened) = (Semaphore(), Semaphore())
    var hasHandshakeFaults: Bool { true }

    func fault(host: String?, from peer: SocketAddress) -> HandshakeFault? {
      guard host == "gate" else { return nil }
      reached.signal()
      opened.wait()
      return .cut
    }
  }

  private func hello(_ server: EchoServer, to host: String = "other") throws -> [UInt8] {
    var wishes = server.trusting
    (wishes.host, wishes.asksForHost) = (host, true)
    let client = try CarriedClient(wishes)
    #expect(!client.handshake())
    return client.takeOutput()
  }

  /// Otherwise many that begin at once end it as the oldest before it has had its turn.
  @Test func oneThatGoesOnComesBeforeThoseThatBegin() throws {
    let gate = Gate()
    let server = try EchoServer(applying: gate) { $0.handshakesMax = 3 }
    let raw = try LoopbackClient(port: server.port)
    let client = try CarriedClient(server.trusting)
    try client.handshake(over: raw)
    let held = try LoopbackClient(port: server.port)
    try held.send(hello(server, to: "gate"))
    gate.reached.wait()
    let others = try (0..<6).map { _ in try LoopbackClient(port: server.port) }
    for other in others { try other.send(hello(server)) }
    try client.write("hello")
    try raw.send(client.takeOutput())
    gate.opened.signal()
    var text = ""
    while text != "hello" {
      client.take(try raw.receiveSome(atMost: 65_536))
      text += try client.read()
    }
    #expect(server.total.handshakes == 1)
  }

  @Test func theLatestComesFirstAndBothKindsByTurns() throws {
    let identity = try identity()
    var table = HandshakeTable()
    var clients: [PendingHandshake] = []
    for number in 0..<6 {
      clients.append(try insert(into: &table))
      if number < 3 { table.begin(clients[number], try #require(identity.channel(over: 0))) }
    }
    for client in clients { table.report(client.number) }
    table.remove(clients[4])
    #expect(table.hasReported)
    var order: [UInt32] = []
    while let next = table.takeReported() { order.append(next.number) }
    #expect(order == [2, 5, 1, 3, 0] && !table.hasReported)
    table.report(4)
    #expect(!table.hasReported)
  }

  /// Under a flood the earliest are never served, and go.
  @Test func thoseThatHaveGoneAreNotKept() throws {
    var stack = NumberStack()
    var table = HandshakeTable()
    let one = try insert(into: &table)
    for number in 0..<10_000 as Range<UInt32> { stack.push(number, among: [number: one]) }
    #expect(stack.count < 5)
  }

  private func identity() throws -> TLSIdentity {
    let certificates = try TestCertificates()
    let files = try certificates.issue("server")
    defer { withExtendedLifetime(certificates) {} }
    return try TLSIdentity(TLSFiles(certificate: files.certificate, key: files.key)) { _ in }
  }

  private func insert(into table: inout HandshakeTable) throws -> PendingHandshake {
    let handshake = PendingHandshake(
      try Syscalls.eventCounter(), peer: try ListenAddress(parsing: "127.0.0.1:0").address, number: table.nextNumber,
      deadline: MonotonicInstant(nanoseconds: 0))
    table.insert(handshake)
    return handshake
  }

  @Test(arguments: [CloseReason.drained, .stopped])
  func theEndOfTheServerIsTheirs(reason: CloseReason) throws {
    let server = try EchoServer()
    let clients = try [begin(at: server), LoopbackClient(port: server.port)]
    // What is accepted in order is there when this has an answer.
    let known = try server.connect()
    #expect(try server.talk(known))
    if reason == .drained { server.group.drain(within: .seconds(60)) } else { server.group.stop() }
    for client in clients { #expect(try client.receiveToEnd().text == "") }
    server.group.wait()
    #expect(server.total.closed(reason) == 3 && server.total.open == 0)
  }

  @Test func aRequestThatComesWithTheEndOfTheHandshakeIsAnswered() throws {
    let server = try EchoServer()
    let raw = try LoopbackClient(port: server.port)
    let client = try CarriedClient(server.trusting)
    try client.handshake(over: raw)
    try client.write("hello")
    try raw.send(client.takeOutput())
    var text = ""
    while text != "hello" {
      client.take(try raw.receiveSome(atMost: 65_536))
      text += try client.read()
    }
    #expect(server.total.handshakes == 1)
  }

  /// A record of 16 KiB takes longer than the grace where the network is slow; what has come of it counts.
  @Test func aBodyIsJudgedByWhatHasComeOfARecord() throws {
    let server = try EchoServer {
      $0.times.bodyGrace = .seconds(1)
      $0.times.bodyBytesPerSecond = 1
    }
    let raw = try LoopbackClient(port: server.port)
    let pace = try server.connect()
    let client = try CarriedClient(server.trusting)
    try client.handshake(over: raw)
    try client.write("b")
    try raw.send(client.takeOutput())
    // What is read in one piece with the beginning does not count: the loop has been there twice before more comes.
    for _ in 0..<2 { #expect(try server.talk(pace)) }
    try client.write(String(repeating: "x", count: 16_000))
    try raw.send(Array(client.takeOutput()[..<8_000]))
    // Its body begins later and brings nothing: when that is over, the first one's grace is too.
    let silent = try server.connect()
    try silent.send("b")
    #expect(throws: TestClient.Failure.self) { try silent.receive() }
    #expect(server.total.closed(.bodyTooSlow) == 1)
  }

  /// TLS says that a record was written when it is whole; the kernel takes it piece by piece, as the client reads. Here it has room
  /// for a part of one.
  @Test func aReaderIsJudgedByWhatItHasTakenOfARecord() throws {
    let server = try EchoServer { $0.times.write = .seconds(1) }
    let raw = try LoopbackClient(port: server.port, receiveBuffer: 4_096)
    let client = try CarriedClient(server.trusting)
    try client.handshake(over: raw)
    let pace = try server.connect()
    try raw.send(client.takeOutput())
    #expect(try server.talk(pace))
    try raw.limitOutputOfPeer(to: 4_096)
    try client.write("f")
    try raw.send(client.takeOutput())
    for _ in 0..<30 {
      _ = try raw.receive(1_000)
      try pace.send("a")
      #expect(try pace.receive() == "a")
    }
    #expect(server.total.closed(.writeTimeout) == 0)
    // When it reads no more, its time ends.
    while server.total.closed(.writeTimeout) == 0 {
      try pace.send("a")
      #expect(try pace.receive() == "a")
    }
    #expect(server.total.handshakes == 2)
  }

  @Test func handshakesThatAreDoneLeaveNothing() throws {
    let identity = try identity()
    var table = HandshakeTable()
    for _ in 0..<500 {
      let handshake = try insert(into: &table)
      table.begin(handshake, try #require(identity.channel(over: 0)))
      table.remove(handshake)
    }
    #expect(table.all.isEmpty && table.begun.count < 4)
  }
}
