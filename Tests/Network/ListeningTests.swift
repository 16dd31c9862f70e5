import Base
import Glibc
import Network
import Support
import Testing

/// Addresses, ports and who gets them.
@Suite struct ListeningTests {
  static let hasIPv6: Bool = unsafe access("/proc/net/if_inet6", R_OK) == 0

  private func peer(of client: LoopbackClient, _ server: LineServer) throws -> SocketAddress {
    try client.send("echo a\n")
    #expect(try client.receiveText(2) == "a\n")
    guard case .opened(_, _, let peer) = try server.recorder.next() else {
      throw Recorder.NothingHappened(description: "")
    }
    return peer
  }

  @Test func loopsShareThePortThatTheKernelChose() throws {
    let server = try LineServer { $0.loops = 4 }
    #expect(server.group.address.port != 0)
    var clients: [LoopbackClient] = []
    var loops: Set<Int> = []
    while clients.count < 400, loops.count < 4 {
      clients.append(try server.connect())
      if case .opened(_, let loop, _) = try server.recorder.next() { loops.insert(loop) }
    }
    #expect(loops.count == 4)
    #expect(server.end().accepted == UInt64(clients.count))
  }

  @Test func aPortIsNotSharedWithAnotherServer() throws {
    let server = try LineServer()
    let error = #expect(throws: NetworkError.self) { try LineServer(on: "\(server.group.address)") }
    #expect(
      error == .cannotBind(ListenAddress(server.group.address), SystemError(call: "bind", code: EADDRINUSE)))
  }

  @Test func anAddressOfAnotherMachineCannotBeBound() throws {
    // 192.0.2.0/24 is for documentation and has no host (RFC 5737).
    let error = #expect(throws: NetworkError.self) { try LineServer(on: "192.0.2.1:0") }
    guard case .cannotBind(_, let cause) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(cause.code == EADDRNOTAVAIL)
    #expect(error?.description.hasPrefix("cannot bind 192.0.2.1:0: bind: ") == true)
  }

  /// It needs the interface of its link, which an address to listen on does not name.
  @Test(.enabled(if: hasIPv6)) func anAddressOfOneLinkCannotBeBound() throws {
    let error = #expect(throws: NetworkError.self) { try LineServer(on: "[fe80::1]:0") }
    guard case .cannotBind(_, let cause) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(cause == SystemError(call: "bind", code: EINVAL))
  }

  @Test func aServerCanStartAgainOnThePortItLeft() throws {
    let first = try LineServer()
    let client = try first.connect()
    try client.send("close\n")
    #expect(try client.receiveToEnd().text == "bye\n")
    _ = first.end()
    let second = try LineServer(on: "\(first.group.address)")
    let again = try second.connect()
    try again.send("echo a\n")
    #expect(try again.receiveText(2) == "a\n")
  }

  @Test(.enabled(if: hasIPv6)) func anIPv6ClientIsServed() throws {
    let server = try LineServer(on: "[::1]:0")
    let client = try server.connect(overIPv6: true)
    let peer = try peer(of: client, server)
    #expect(peer.host == .v6(high: 0, low: 1))
    #expect(peer.isLoopback)
  }

  @Test(.enabled(if: hasIPv6)) func withoutHostBothFamiliesAreServedAndSeenAsTheyAre() throws {
    let server = try LineServer(on: ":0")
    let four = try server.connect()
    #expect(try peer(of: four, server).host == .v4(0x7F00_0001))
    let six = try server.connect(overIPv6: true)
    #expect(try peer(of: six, server).host == .v6(high: 0, low: 1))
  }

  @Test(.enabled(if: hasIPv6)) func anyIPv6AddressIsNoIPv4Address() throws {
    let server = try LineServer(on: "[::]:0")
    _ = try server.connect(overIPv6: true)
    let failure = #expect(throws: LoopbackClient.Failure.self) { try server.connect() }
    #expect(failure?.code == ECONNREFUSED)
  }

  @Test func beyondTheCapClientsWaitAndAreNotTurnedAway() throws {
    let server = try LineServer {
      $0.connectionsMax = 2
      $0.acceptPause = .milliseconds(10)
    }
    #expect(server.group.connectionsMax == 2)
    let first = try server.connect()
    let second = try server.connect()
    let begin = SystemClock().monotonicNow
    let third = try server.connect()
    try third.send("echo c\n")
    // Five pauses go by before the alarm rings, more on a busy machine, and each lasts its time.
    try first.send("alarm 50\n")
    #expect(try first.receiveText(5) == "rang\n")
    #expect(server.total.accepted == 2)
    let pauses = server.total.acceptPauses
    let pausesMax = 1 + Int((SystemClock().monotonicNow - begin).wholeMilliseconds / 10)
    #expect(pauses >= 1 && pauses <= pausesMax)
    second.close()
    #expect(try third.receiveText(2) == "c\n")
    #expect(server.end().accepted == 3)
  }

  @Test func theCapIsOfAllLoopsTogether() throws {
    let server = try LineServer {
      $0.loops = 3
      $0.connectionsMax = 5
      $0.acceptPause = .milliseconds(10)
    }
    let clients = try (0..<30).map { _ in try server.connect() }
    for _ in 0..<5 {
      guard case .opened = try server.recorder.next() else {
        Issue.record("a connection ended")
        return
      }
    }
    #expect(server.total.open == 5)
    for client in clients { client.close() }
    while server.total.accepted < 30 { _ = try server.recorder.next() }
  }
}
