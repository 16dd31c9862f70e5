import Base
import CurlTransport
import Support
import Testing

/// Which connection a request takes.
@Suite(.timeLimit(.minutes(10))) struct ConnectionTests {
  /// 70 devices fill more than one of the transport's caches.
  @Test(arguments: Way.allCases) func underMobileEachDeviceHasItsOwn(_ way: Way) async throws {
    let server = try BareServer { _ in .ok() }
    let post = try Post(way)
    for round in 0..<3 {
      for device in 0..<150 {
        let timings = await post.send(server.url + "\(device)", device: device).timings
        #expect(timings.newConnections == (round == 0 ? 1 : 0))
        #expect((timings.connected > .zero) == (round == 0))
        #expect(timings.firstByte > .zero && timings.total >= timings.firstByte)
        #expect(timings.sentBytes > 50 && timings.receivedBytes == 38)
      }
    }
    #expect(server.opened == 150)
    for device in 0..<150 {
      let own = server.requests.filter { $0.lines[0] == "POST /\(device) HTTP/1.1" }.map(\.connection)
      #expect(own.count == 3 && Set(own).count == 1)
    }
  }

  @Test(arguments: Way.allCases) func anIdleConnectionIsClosedInTimeAndAnotherTakesItsPlace(_ way: Way) async throws {
    let server = try BareServer { _ in .ok() }
    var configuration = TransportConfiguration()
    configuration.idleTime = .milliseconds(100)
    let post = try Post(way, configuration)
    for device in 0..<3 { _ = await post.send(server.url, device: device) }
    await server.comesTrue { $0.ended == 3 }
    #expect(server.opened == 3)
    let completion = await post.send(server.url, device: 1)
    #expect(completion.answer?.status == 200 && completion.timings.newConnections == 1)
    #expect(server.requests.count == 4)
  }

  @Test(arguments: Way.allCases) func aConnectionThatTheServerHasEndedIsReplaced(_ way: Way) async throws {
    let server = try BareServer { request in
      request.connection == 0 ? .close(Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8)) : .ok()
    }
    let post = try Post(way)
    for _ in 0..<4 { #expect(await post.send(server.url).answer?.status == 200) }
    #expect(server.opened == 2)
  }

  @Test func underFreshEachRequestHasItsOwn() async throws {
    let server = try BareServer { _ in .ok() }
    var configuration = TransportConfiguration()
    configuration.connections = .fresh
    let post = try Post(.libcurl, configuration)
    for _ in 0..<5 { #expect(await post.send(server.url).timings.newConnections == 1) }
    #expect(server.opened == 5)
    await server.comesTrue { $0.ended == 5 }
  }

  @Test func underSharedDevicesWaitForOneOfThePool() async throws {
    let server = try BareServer { _ in
      .trickle([Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8)], milliseconds: 5)
    }
    var configuration = TransportConfiguration()
    configuration.connections = .shared(atMost: 3)
    let post = try Post(.libcurl, configuration)
    for device in 0..<60 { post.submit(server.url, device: device) }
    #expect(await post.take(60).allSatisfy { $0.answer?.status == 200 })
    #expect(server.opened == 3)
  }

  @Test(arguments: Way.allCases) func devicesTakeTheSourceAddressesInTurn(_ way: Way) async throws {
    let server = try BareServer { _ in .ok() }
    var configuration = TransportConfiguration()
    configuration.sourceAddresses = ["127.0.0.1", "127.0.0.2", "127.0.0.3"]
    let post = try Post(way, configuration)
    for device in [0, 1, 2, 4, 1, 3] { _ = await post.send(server.url, device: device) }
    #expect(server.requests.map(\.peer) == [0, 1, 2, 1, 1, 0].map { "127.0.0.\($0 + 1)" })
    #expect(server.opened == 5)
  }

  /// Where it resolves to ::1 first, which has no listener, and the next socket gets the number of the one given up.
  @Test(arguments: Way.allCases) func aNameWithSeveralAddressesIsTriedToItsEnd(_ way: Way) async throws {
    let server = try BareServer { _ in .ok() }
    let post = try Post(way)
    for device in 0..<20 {
      #expect(await post.send("http://localhost:\(server.port)/", device: device).answer?.status == 200)
    }
  }

  @Test(arguments: Way.allCases) func thousandsOfDevicesSendAtOnce(_ way: Way) async throws {
    let server = try BareServer { _ in .ok() }
    let post = try Post(way)
    for device in 0..<2_000 { post.submit(server.url, device: device) }
    #expect(await post.take(2_000).allSatisfy { $0.answer?.status == 200 })
    #expect(server.opened == 2_000)
  }
}
