import Base
import IngestServer
import Network
import Vocabulary

/// The server's end of one connection: a session, and what it has not taken yet.
final class VirtualConnection {
  private let server: VirtualServer
  private let session: IngestSession
  private var untaken: [UInt8] = []
  private var isClosed = false

  init(of server: VirtualServer, _ session: IngestSession) {
    self.server = server
    self.session = session
  }

  /// Whether another request may follow on it.
  var isOpen: Bool { !isClosed && session.wishes.ending == .open }

  /// When the server goes on by itself; it holds an answer back until then.
  var alarm: MonotonicInstant? { isOpen ? session.wishes.alarm : nil }

  /// What the server says to the bytes, until it wants nothing more.
  func receive(_ bytes: some Sequence<UInt8>, at now: Moment) -> [UInt8] {
    guard !isClosed else { return [] }
    untaken.append(contentsOf: bytes)
    return work(at: now) { _ in }
  }

  /// What it says when the alarm has rung.
  func goOn(at now: Moment) -> [UInt8] {
    guard !isClosed else { return [] }
    return work(at: now) { session.alarmRang(&$0) }
  }

  func close(_ reason: CloseReason, at now: Moment) {
    guard !isClosed else { return }
    isClosed = true
    server.turn(to: now)
    session.closed(reason, now: now.monotonic)
    var nothing = SessionOutput(now: now.monotonic, unsentMax: .max)
    _ = server.serve(session, &nothing, at: now)
  }

  private func work(at now: Moment, _ begin: (inout SessionOutput) -> Void) -> [UInt8] {
    server.turn(to: now)
    var output = SessionOutput(now: now.monotonic, unsentMax: .max)
    begin(&output)
    var taken = 0
    var isMoving = true
    while isMoving {
      isMoving = false
      if session.wishes.wantsInput && session.wishes.ending == .open && taken < untaken.count {
        let step = session.receive(untaken.span.extracting(taken..<untaken.count), &output)
        taken += step
        isMoving = step > 0
      }
      if server.serve(session, &output, at: now) { isMoving = true }
      if session.wishes.hasMoreOutput {
        session.produce(&output)
        isMoving = true
      }
    }
    if taken == untaken.count { untaken = [] } else { untaken.removeFirst(taken) }
    switch session.wishes.ending {
    case .open: break
    case .afterOutput: close(.finished, at: now)
    case .atOnce, .reset: close(.aborted, at: now)
    }
    return output.bytes
  }
}
