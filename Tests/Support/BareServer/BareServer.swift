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
  struct Observations {
    var requests: [Request] = []
    var opened = 0
    var ended = 0
  }

  package let port: UInt16
  private let wakeUp: Int32
  private let thread: NamedThread
  private let observations: ObservationBox

  /// `respond` is called in the server's thread. One in haste answers when it has seen the head.
  package init(isHasty: Bool = false, _ respond: @escaping @Sendable (Request) -> Answer) throws(LoopbackClient.Failure)
  {
    let observations = ObservationBox()
    let loop = try BareServerLoop(observations, isHasty: isHasty, respond)
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
  package var requests: [Request] { observations.value.withLock { $0.requests } }
  /// Connections that were made so far.
  package var opened: Int { observations.value.withLock { $0.opened } }
  /// Connections that their client has ended so far.
  package var ended: Int { observations.value.withLock { $0.ended } }
}

/// Shared by the server's thread and its owner.
final class ObservationBox: Sendable {
  let value = Mutex(BareServer.Observations())
}
