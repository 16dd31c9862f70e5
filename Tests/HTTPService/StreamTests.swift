import Base
import HTTPService
import Network
import Support
import Synchronization
import Testing

/// Streams of events over real sockets.
@Suite struct StreamTests {
  /// Counts its own calls, and says so with as many bytes as it is told to.
  private final class Counting: ServiceStream {
    let state = Mutex((calls: 0, ends: 0))
    private let size: Int

    init(size: Int) { self.size = size }

    func next(at now: MonotonicInstant) -> [UInt8] {
      let calls = state.withLock { state in
        state.calls += 1
        return state.calls
      }
      return StreamEvent.bytes("count", Array("\(calls) ".utf8) + [UInt8](repeating: UInt8(ascii: "x"), count: size))
    }

    func end() { state.withLock { $0.ends += 1 } }
  }

  private func service(_ stream: Counting) throws -> HTTPService {
    try HTTPService(listen: "127.0.0.1:0", ServiceBehaviour { _ in .stream(stream) })
  }

  private static let request = "GET / HTTP/1.1\r\nHost: h\r\n\r\n"

  private func read(_ client: LoopbackClient, until mark: String) throws -> String {
    var text = ""
    while !text.contains(mark) { text += String(decoding: try client.receiveSome(atMost: 4_096), as: UTF8.self) }
    return text
  }

  @Test func aListenerHearsEventAfterEvent() throws {
    let stream = Counting(size: 1)
    let service = try service(stream)
    let client = try LoopbackClient(port: service.address.port)
    try client.send(Self.request)
    let text = try read(client, until: "data: 3 x")
    #expect(text.contains("Content-Type: text/event-stream\r\n"))
    #expect(text.contains("event: count\ndata: 1 x\n\n"))
    service.stop()
    // The last chunk says that this was all.
    #expect(try client.receiveToEnd().text.hasSuffix("0\r\n\r\n"))
    #expect(stream.state.withLock { $0.ends } == 1)
  }

  /// A listener that does not read is told nothing more, however long it stays: what is kept for it does not grow.
  @Test func aListenerThatDoesNotReadGetsNoMore() throws {
    let slow = Counting(size: 8_000_000)
    let service = try service(slow)
    defer { service.stop() }
    let client = try LoopbackClient(port: service.address.port, receiveBuffer: 4_096)
    try client.send(Self.request)
    let other = Counting(size: 1)
    let beside = try HTTPService(listen: "127.0.0.1:0", ServiceBehaviour { _ in .stream(other) })
    defer { beside.stop() }
    let listener = try LoopbackClient(port: beside.address.port)
    try listener.send(Self.request)
    _ = try read(listener, until: "data: 6 x")
    #expect(slow.state.withLock { $0.calls } == 1)
  }

  @Test func aListenerThatLeavesIsForgotten() throws {
    let stream = Counting(size: 1)
    let service = try service(stream)
    let client = try LoopbackClient(port: service.address.port)
    try client.send(Self.request)
    _ = try read(client, until: "data: 1 x")
    client.reset()
    service.stop()
    #expect(stream.state.withLock { $0.ends } == 1)
  }

  @Test func aClientOfHTTP10IsToldWhatIsNeeded() throws {
    let stream = Counting(size: 1)
    let service = try service(stream)
    defer { service.stop() }
    let client = try LoopbackClient(port: service.address.port)
    try client.send("GET / HTTP/1.0\r\n\r\n")
    #expect(try client.receiveToEnd().text.contains("no_stream"))
    #expect(stream.state.withLock { $0 } == (calls: 0, ends: 1))
  }
}
