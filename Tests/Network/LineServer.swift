import Base
import Network
import Support
import Synchronization
import Testing

/// A running group of loops with line sessions, and the ways in which tests talk to it.
final class LineServer {
  let group: LoopGroup<LineSession>
  let recorder: Recorder

  init(
    on address: String = "127.0.0.1:0", _ adjust: (inout NetworkConfiguration) -> Void = { _ in }
  ) throws {
    let recorder = Recorder()
    var configuration = NetworkConfiguration()
    adjust(&configuration)
    group = try LoopGroup(configuration, on: try ListenAddress(parsing: address)) { loop, _, peers in
      peers.missed = { token, _ in recorder.missed.withLock { $0.append(token) } }
      return { LineSession($0, loop: loop, recorder: recorder) }
    }
    self.recorder = recorder
  }

  func connect(overIPv6: Bool = false, receiveBuffer: Int32? = nil) throws -> LoopbackClient {
    try LoopbackClient(port: group.address.port, overIPv6: overIPv6, receiveBuffer: receiveBuffer)
  }

  func answer(_ question: (token: ConnectionToken, loop: Int, text: String), _ text: String) {
    group.mailboxes[question.loop].post(.answer(text), to: question.token)
  }

  var total: LoopFigures { group.figures.reduce(LoopFigures(), +) }

  /// Ends the server and returns the sums of its counters, in which nothing may be open.
  func end() -> LoopFigures {
    group.stop()
    group.wait()
    let total = total
    #expect(total.open == 0)
    return total
  }
}
