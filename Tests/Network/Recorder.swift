import Base
import Glibc
import Network
import Synchronization
import Testing

/// What sessions tell a test, in the order in which it happened, to be waited for.
@safe
final class Recorder: Sendable {
  enum Event: Equatable, Sendable {
    case opened(ConnectionToken, loop: Int, peer: SocketAddress)
    case asked(ConnectionToken, loop: Int, String)
    case held
    case inputEnded
    case timedOut(TimeLimit)
    case closed(CloseReason)
  }

  struct NothingHappened: Error, CustomStringConvertible {
    let description: String
  }

  /// Holds a loop in the middle of a turn, so that a test can prepare what the loop meets next.
  final class Gate: Sendable {
    private let isOpen = Atomic(false)

    func open() { isOpen.store(true, ordering: .releasing) }
    func wait() { while !isOpen.load(ordering: .acquiring) { sched_yield() } }
  }

  let gate = Gate()
  /// Connections that were gone when a message for them came.
  let missed = Mutex<[ConnectionToken]>([])
  private let events = Mutex<[Event]>([])
  private let readEnd: Int32
  private let writeEnd: Int32

  init() {
    var ends: [Int32] = [0, 0]
    let result = unsafe pipe(&ends)
    precondition(result == 0, "pipe failed")
    readEnd = ends[0]
    writeEnd = ends[1]
  }

  deinit {
    close(readEnd)
    close(writeEnd)
  }

  func record(_ event: Event) {
    events.withLock { $0.append(event) }
    var byte: UInt8 = 1
    let count = unsafe write(writeEnd, &byte, 1)
    precondition(count == 1, "a test records fewer events than a pipe holds")
  }

  /// The next event, whatever it is.
  func next() throws -> Event {
    var set = pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0)
    let ready = unsafe poll(&set, 1, 10_000)
    guard ready == 1 else { throw NothingHappened(description: "ten seconds passed without an event") }
    var byte: UInt8 = 0
    let count = unsafe read(readEnd, &byte, 1)
    precondition(count == 1, "every event has its byte")
    return events.withLock { $0.removeFirst() }
  }

  /// The next event that is not the opening of a connection.
  func nextAfterOpening() throws -> Event {
    while true {
      let event = try next()
      if case .opened = event { continue }
      return event
    }
  }

  func nextClose() throws -> CloseReason {
    while true {
      if case .closed(let reason) = try next() { return reason }
    }
  }

  func nextHold() throws {
    while try next() != .held {}
  }

  func nextQuestion() throws -> (token: ConnectionToken, loop: Int, text: String) {
    while true {
      if case .asked(let token, let loop, let text) = try next() { return (token, loop, text) }
    }
  }
}
