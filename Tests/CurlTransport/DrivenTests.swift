import Base
import CurlTransport
import Support
import Testing
import Upload

/// The transport in the thread of its owner.
@Suite(.timeLimit(.minutes(10))) struct DrivenTests {
  private func request(_ url: String, _ id: UInt64) -> OutgoingRequest {
    OutgoingRequest(
      id: id, purpose: .records, method: "POST", url: url, headers: [], body: [1], timeout: .seconds(20))
  }

  /// The next ends, so many of them.
  private func take(_ count: Int, from transport: DrivenTransport) -> [TransportCompletion] {
    var taken: [TransportCompletion] = []
    while taken.count < count { taken += transport.turn(until: nil) }
    return taken
  }

  @Test(arguments: Way.allCases) func eachRequestEndsOnceInSomeTurn(_ way: Way) throws {
    let server = try BareServer { _ in .ok("yes") }
    let transport = try DrivenTransport(way.configuration())
    for id in 1...20 { transport.submit(request(server.url, UInt64(id)), device: id % 5) }
    transport.submit(request("http://127.0.0.1:1/", 21), device: 1)
    transport.cancel(20, device: 0)
    let ends = take(21, from: transport).sorted { $0.id < $1.id }
    #expect(ends.map(\.id) == Array(1...21))
    #expect(ends.prefix(19).allSatisfy { $0.answer?.body == "yes" })
    #expect(ends[19].failure == .cancelled && ends[20].failure == .refused)
    #expect(transport.turn(until: SystemClock().monotonicNow).isEmpty)
  }

  @Test(arguments: Way.allCases) func openConnectionsAreCounted(_ way: Way) throws {
    let server = try BareServer { _ in .ok("yes") }
    let transport = try DrivenTransport(way.configuration())
    #expect(transport.openConnections == 0)
    for device in 0..<3 { transport.submit(request(server.url, 1), device: device) }
    _ = take(3, from: transport)
    #expect((1...3).contains(transport.openConnections))
    for device in 0..<3 { transport.changeNetwork(of: device) }
    #expect(transport.openConnections == (way.configuration().connections == .mobile ? 0 : transport.openConnections))
  }

  @Test func aCallFromAnotherThreadEndsATurn() async throws {
    let transport = try DrivenTransport(TransportConfiguration())
    let alarm = transport.alarm
    Task.detached { alarm() }
    #expect(transport.turn(until: nil).isEmpty)
  }

  @Test(arguments: Way.allCases) func anotherNetworkTakesAnotherConnection(_ way: Way) throws {
    let server = try BareServer { _ in .ok() }
    let transport = try DrivenTransport(way.configuration())
    var connections: [Int] = []
    for id in 1...3 {
      for device in 0...1 { transport.submit(request(server.url, UInt64(id)), device: device) }
      connections += take(2, from: transport).sorted { $0.device < $1.device }.map(\.timings.newConnections)
      if id == 2 { transport.changeNetwork(of: 1) }
    }
    #expect(connections == [1, 1, 0, 0, 0, 1])
  }
}
