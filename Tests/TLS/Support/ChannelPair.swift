import Glibc

@testable import TLS

/// Two ends of a connection, neither of which blocks.
final class SocketPair {
  let client: Int32
  let server: Int32

  init() throws {
    var sockets: [Int32] = [0, 0]
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    guard unsafe socketpair(AF_UNIX, kind, 0, &sockets) == 0 else {
      throw TestClient.Failure(description: "socketpair: errno \(errno)")
    }
    (client, server) = (sockets[0], sockets[1])
  }

  deinit {
    close(client)
    close(server)
  }

  /// To the server, in one piece; says how much had room.
  func send(_ bytes: [UInt8]) -> Int { unsafe Glibc.send(client, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }
}

/// A channel of the server and its client in one thread, with the handshake behind them.
final class ChannelPair {
  let client: CarriedClient
  let channel: TLSChannel
  private let sockets: SocketPair
  private var buffer = [UInt8](repeating: 0, count: 65_536)

  init(_ identity: TLSIdentity, _ wishes: TestClient.Wishes) throws {
    sockets = try SocketPair()
    guard let channel = identity.channel(over: sockets.server) else { throw TestClient.Failure.ofOpenSSL }
    self.channel = channel
    client = try CarriedClient(wishes)
    for _ in 0..<10 {
      let isDone = client.handshake()
      try send(client.takeOutput())
      if case .done = channel.handshake(), isDone { return }
      receive()
    }
    throw TestClient.Failure.ofOpenSSL
  }

  /// To the server, in one piece.
  func send(_ bytes: [UInt8]) throws {
    guard sockets.send(bytes) == bytes.count else { throw TestClient.Failure(description: "send: errno \(errno)") }
  }

  /// The client closes its side of the connection, without a word of TLS.
  func leave() { shutdown(sockets.client, Int32(SHUT_WR)) }

  /// What the server has sent so far reaches the client.
  func receive() {
    while true {
      let count = unsafe recv(sockets.client, &buffer, buffer.count, 0)
      guard count > 0 else { return }
      client.take(Array(buffer[..<count]))
    }
  }

  /// One read of the server.
  func read(atMost limit: Int = 65_536) -> (outcome: TLSChannel.Outcome, text: String) {
    let outcome = channel.read(into: &buffer, atMost: limit)
    guard case .bytes(let count) = outcome else { return (outcome, "") }
    return (outcome, String(decoding: buffer[..<count], as: UTF8.self))
  }

  func write(_ text: String) -> TLSChannel.Outcome { unsafe channel.write(Array(text.utf8).span.bytes) }
}
