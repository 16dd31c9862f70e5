import Base
import HTTP1
import Network

@testable import IngestServer

/// One connection of a `VirtualServer`, seen from the client.
final class VirtualClient {
  /// How the server ended the connection.
  typealias Ending = SessionWishes.Ending

  private let server: VirtualServer
  private var session: IngestSession
  private var unread: [UInt8] = []
  /// Still on our side, for a client that does not read.
  private var unsent: [UInt8] = []
  private(set) var received: [UInt8] = []
  private(set) var unsentMax = 0
  private var mayOffer = false
  var reads: Bool

  init(_ server: VirtualServer, _ session: IngestSession, reads: Bool) {
    self.server = server
    self.session = session
    self.reads = reads
  }

  var address: SessionAddress { session.address }
  var ending: Ending { session.wishes.ending }
  var alarm: MonotonicInstant? { ending == .open ? session.wishes.alarm : nil }
  var text: String { String(decoding: received, as: UTF8.self) }

  func send(_ bytes: [UInt8]) {
    unread += bytes
    mayOffer = true
    server.settle()
  }

  func post(_ target: String, _ body: String, _ fields: [(String, String)] = []) {
    send(SessionHarness.bytes("POST", target, fields, body: body))
  }

  /// One whole request and its answer.
  func request(
    _ method: String, _ target: String, _ fields: [(String, String)] = [], body: String? = nil
  ) throws -> TestAnswer {
    send(SessionHarness.bytes(method, target, fields, body: body))
    guard let answer = try answer() else { throw NoAnswer(request: "\(method) \(target)") }
    return answer
  }

  /// The next answer; nil while it is not complete.
  func answer() throws -> TestAnswer? { try TestAnswer.take(from: &received, to: .post) }

  func ring() { call { $0.alarmFired(&$1) } }
  func deliver(_ message: SessionMessage) { if ending == .open { call { $0.deliver(message, &$1) } } }
  func drain() { call { $0.drain(&$1) } }

  /// The connection is gone.
  func vanish() {
    session.closed(.reset, now: server.now)
    session.wishes.ending = .atOnce
  }

  /// What an event loop does after an event; false when there was nothing to do.
  func move() -> Bool {
    var hasMoved = false
    while mayOffer, session.wishes.wantsInput, ending == .open, !unread.isEmpty {
      let shown = unread
      let taken = call { $0.receive(shown.span, &$1) }
      unread.removeFirst(taken)
      mayOffer = taken > 0
      hasMoved = true
    }
    if reads, !unsent.isEmpty {
      received += unsent
      unsent = []
      hasMoved = true
    }
    while session.wishes.hasMoreOutput, ending == .open, unsent.count <= 32_768 {
      let before = received.count + unsent.count
      call { $0.produce(&$1) }
      precondition(received.count + unsent.count > before, "who has more output writes some")
      hasMoved = true
    }
    return hasMoved
  }

  @discardableResult
  private func call<Result>(_ body: (inout IngestSession, inout SessionOutput) -> Result) -> Result {
    var output = SessionOutput(now: server.now, unsentMax: 65_536)
    output.bytes = unsent
    let result = body(&session, &output)
    unsent = output.bytes
    unsentMax = max(unsentMax, unsent.count)
    if reads || ending != .open {
      received += unsent
      unsent = []
    }
    if session.wishes.wantsInput { mayOffer = true }
    return result
  }
}
