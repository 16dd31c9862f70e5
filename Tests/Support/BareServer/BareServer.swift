import CLinux
import Glibc
import Synchronization
import Threads

/// An HTTP server on this machine that does what no server should: it answers each request with the bytes that a test
/// wants, or with none, in one thread and without a word of HTTP beyond finding the end of a request.
package final class BareServer: Sendable {
  /// What arrived, whole.
  package struct Request: Sendable {
    /// Which of the server's connections, counted from 0.
    package let connection: Int
    /// The client's address, as in `127.0.0.1`.
    package let peer: String
    /// The request line and the header lines.
    package let lines: [String]
    package let body: [UInt8]

    /// The values of a header, in the order of its lines.
    package func values(of name: String) -> [String] {
      lines.dropFirst().compactMap { line in
        let parts = line.split(separator: ":", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == name.lowercased() else { return nil }
        return String(parts[1].drop { $0 == " " })
      }
    }
  }

  /// What is done with it.
  package enum Answer: Sendable {
    /// The connection stays open.
    case keep([UInt8])
    case close([UInt8])
    /// The end of the connection is an RST.
    case reset([UInt8])
    /// One piece after another with a pause before each; the connection stays open.
    case trickle([[UInt8]], milliseconds: Int64)
    case silence

    /// As `keep`.
    package static func text(_ text: String) -> Answer { .keep(Array(text.utf8)) }
    /// A sound answer with this body.
    package static func ok(_ body: String = "") -> Answer {
      .text("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
    }
  }

  /// What tests look at while the server runs.
  package struct Observations: Sendable {
    package internal(set) var requests: [Request] = []
    /// Connections that were made so far.
    package internal(set) var opened = 0
    /// Connections that their client has ended so far.
    package internal(set) var ended = 0
  }

  package let port: UInt16
  private let wakeUp: Int32
  private let thread: NamedThread
  private let observations: ObservationBox

  /// `respond` is called in the server's thread. One in haste answers when it has seen the head; a serial one has one
  /// connection at a time.
  package init(
    isHasty: Bool = false, isSerial: Bool = false, _ respond: @escaping @Sendable (Request) -> Answer
  ) throws(LoopbackClient.Failure) {
    let observations = ObservationBox()
    let loop = try BareServerLoop(observations, isHasty: isHasty, isSerial: isSerial, respond)
    port = loop.port
    wakeUp = loop.wakeUp
    self.observations = observations
    thread = NamedThread.started("bare-server") { loop.run() }
  }

  deinit {
    _ = eventfd_write(wakeUp, 1)
    thread.join()
    close(wakeUp)
  }

  package var url: String { "http://127.0.0.1:\(port)/" }
  package var requests: [Request] { observations.now.requests }
  package var opened: Int { observations.now.opened }
  package var ended: Int { observations.now.ended }

  /// Returns when it holds. Tells the waiter at the change itself: how long that takes only matters to the time limit's
  /// of the test.
  package func comesTrue(_ holds: @escaping @Sendable (Observations) -> Bool) async {
    await observations.comesTrue(holds)
  }
}

/// Shared by the server's thread and its owner.
final class ObservationBox: Sendable {
  private struct Waiter {
    let id: UInt64
    let holds: @Sendable (BareServer.Observations) -> Bool
    let continuation: CheckedContinuation<Void, Never>
  }

  private struct State {
    var observations = BareServer.Observations()
    var waiters: [Waiter] = []
    var lastID: UInt64 = 0
  }

  private let state = Mutex(State())

  var now: BareServer.Observations { state.withLock { $0.observations } }

  func change<Result: Sendable>(_ body: (inout BareServer.Observations) -> Result) -> Result {
    let (result, content) = state.withLock { state in
      let result = body(&state.observations)
      let observations = state.observations
      let content = state.waiters.filter { $0.holds(observations) }.map { ($0.id, $0.continuation) }
      state.waiters.removeAll { waiter in content.contains { $0.0 == waiter.id } }
      return (result, content.map(\.1))
    }
    for continuation in content { continuation.resume() }
    return result
  }

  /// Ends also when the test is cancelled, which its time limit does.
  func comesTrue(_ holds: @escaping @Sendable (BareServer.Observations) -> Bool) async {
    let id = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let mayGo = state.withLock { state in
          if holds(state.observations) || Task.isCancelled { return true }
          state.waiters.append(Waiter(id: id, holds: holds, continuation: continuation))
          return false
        }
        if mayGo { continuation.resume() }
      }
    } onCancel: {
      let waiter = state.withLock { state in
        let waiter = state.waiters.first { $0.id == id }
        state.waiters.removeAll { $0.id == id }
        return waiter
      }
      waiter?.continuation.resume()
    }
  }
}
