import Glibc
import Support
import Testing

@testable import TLS

/// One session between OpenSSL and a socket: what a call does at most, and how it says that there is no more.
@Suite(.timeLimit(.minutes(10))) struct ChannelTests {
  private let certificates: TestCertificates

  init() throws { certificates = try TestCertificates() }

  private func pair() throws -> ChannelPair {
    let files = try certificates.issue("server")
    let identity = try TLSIdentity(TLSFiles(certificate: files.certificate, key: files.key)) { _ in }
    return try ChannelPair(identity, TestClient.Wishes(authority: certificates.authority))
  }

  /// Each of these costs as much as some records, and a client can send a thousand in one packet.
  @Test func messagesWithoutDataAreNotTakenForEver() throws {
    let pair = try pair()
    pair.client.changeKeys(3)
    try pair.client.write("x")
    try pair.send(pair.client.takeOutput())
    #expect(pair.read().text == "x", "new keys now and then are good use")
    pair.client.changeKeys(600)
    try pair.send(pair.client.takeOutput())
    #expect(pair.read().outcome == .invalid)
  }

  /// The longest message, one byte in each record.
  @Test func aCallTakesABoundedPartOfWhatHasCome() throws {
    let files = try certificates.issue("server")
    let identity = try TLSIdentity(TLSFiles(certificate: files.certificate, key: files.key)) { _ in }
    let sockets = try SocketPair()
    let channel = try #require(identity.channel(over: sockets.server))
    let message: [UInt8] = [1, 1, 0xFF, 0xFF] + [UInt8](repeating: 0, count: 25_000)
    let count = sockets.send(message.flatMap { [0x16, 3, 1, 0, 1, $0] })
    #expect(count > 65_536)
    guard case .wantsToRead = channel.handshake() else {
      Issue.record("the message is not whole")
      return
    }
    #expect(channel.bytesReceived <= 65_536)
  }

  @Test func whatIsNotWholeIsCountedAsReceived() throws {
    let pair = try pair()
    try pair.client.write(String(repeating: "x", count: 16_000))
    let record = pair.client.takeOutput()
    let before = pair.channel.bytesReceived
    try pair.send(Array(record[..<5_000]))
    #expect(pair.read().outcome == .later && pair.channel.bytesReceived - before == 5_000)
    try pair.send(Array(record[5_000...]))
    #expect(pair.read().outcome == .bytes(16_000))
  }

  /// Read in one call with the request before it, or the answer would be offered again and again.
  @Test func theEndBehindDataIsKept() throws {
    let pair = try pair()
    try pair.client.write("GET /")
    try pair.send(pair.client.takeOutput() + [UInt8](repeating: 0x78, count: 35))
    #expect(pair.read().text == "GET /" && pair.channel.hasUnread)
    #expect(pair.write("answer") == .invalid && pair.read().outcome == .invalid && !pair.channel.hasUnread)
  }

  @Test func anAnswerPassesAfterThePeersEnd() throws {
    let pair = try pair()
    try pair.client.write("GET /")
    pair.client.endOutput()
    try pair.send(pair.client.takeOutput())
    #expect(pair.read().text == "GET /" && pair.channel.hasUnread && pair.read().outcome == .end)
    #expect(pair.write("answer") == .bytes(6))
    pair.receive()
    #expect(try pair.client.read() == "answer")
  }

  /// RFC 8446 §6.1: an end is told before a side is closed. To a client that is gone it would be a packet that is refused.
  @Test(arguments: ["", "answer"]) func aClientThatIsGoneIsToldOfTheEndOnlyBehindAnAnswer(_ answer: String) throws {
    let pair = try pair()
    pair.leave()
    #expect(pair.read().outcome == .end)
    if !answer.isEmpty { #expect(pair.write(answer) == .bytes(answer.utf8.count)) }
    let before = pair.channel.bytesSent
    pair.channel.endOutput()
    #expect((pair.channel.bytesSent > before) == !answer.isEmpty)
  }

  @Test func theEndOfAClientIsAnswered() throws {
    let pair = try pair()
    pair.client.endOutput()
    try pair.send(pair.client.takeOutput())
    #expect(pair.read().outcome == .end)
    let before = pair.channel.bytesSent
    pair.channel.endOutput()
    #expect(pair.channel.bytesSent > before)
  }

  /// The rest comes from another place in memory, as after a flush that took only a part.
  @Test func whatHadNoRoomIsOfferedAgain() throws {
    let pair = try pair()
    let text = String((0..<60_000).map { "\($0)," }.joined())
    var (rest, received, hadNoRoom) = (Substring(text), "", false)
    for _ in 0..<1_000 where !rest.isEmpty {
      switch pair.write(String(rest)) {
      case .bytes(let count): rest = rest.dropFirst(count)
      case .later:
        hadNoRoom = true
        pair.receive()
        received += try pair.client.read()
      case let other: Issue.record("\(other)")
      }
    }
    pair.receive()
    #expect(try received + pair.client.read() == text && hadNoRoom)
  }

  /// Resumed, a session brings the certificate along as it was found when the session began.
  @Test func aCertificateThatIsOverIsNone() throws {
    let files = try certificates.issue("server")
    let identity = try TLSIdentity(
      TLSFiles(certificate: files.certificate, key: files.key, clientAuthorities: certificates.authority)
    ) { _ in }
    var wishes = TestClient.Wishes(authority: certificates.authority)
    wishes.certificate = try certificates.issue("phone", days: -1...9)
    let first = try ChannelPair(identity, wishes)
    first.receive()
    _ = try first.client.read()
    #expect(first.client.sessionSeconds == 300)
    wishes.session = first.client.session
    wishes.certificate = nil
    let second = try ChannelPair(identity, wishes)
    #expect(second.channel.facts.isResumed && second.channel.facts.hasClientCertificate)
    #expect(!second.channel.facts(at: time(nil) + 10 * 86_400).hasClientCertificate)
  }
}
