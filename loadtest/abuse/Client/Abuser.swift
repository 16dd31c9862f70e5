import Base
import Synchronization

/// What abusive clients have done and met so far.
final class AbuseBox: Sendable {
  struct Count {
    var opened = 0
    /// Connections whose end was seen: the server's FIN or RST.
    var ended = 0
    var notConnected = 0
    var lastOpened = MonotonicInstant(nanoseconds: 0)
  }

  private let count = Mutex(Count())

  func note(_ change: (inout Count) -> Void) { count.withLock { change(&$0) } }

  var value: Count { count.withLock { $0 } }
}

/// A client with a bad habit.
final class Abuser: LoopClient {
  private let port: UInt16
  private let habit: Habit
  /// Nobody comes back after this.
  private let end: MonotonicInstant
  private let box: AbuseBox
  private var socket: Int32 = -1
  private var hasBegun = false
  private var sawEnd = false
  /// The opening, then piece after piece.
  private var message: [UInt8] = []
  private var sent = 0

  init(port: UInt16, _ habit: Habit, until end: MonotonicInstant, _ box: AbuseBox) {
    self.port = port
    self.habit = habit
    self.end = end
    self.box = box
  }

  deinit { if socket >= 0 { Sockets.close(socket) } }

  func wake(_ loop: ClientLoop<Abuser>, _ now: MonotonicInstant) -> MonotonicInstant? {
    socket < 0 ? open(loop, now) : goOn(now)
  }

  func ready(_ events: UInt32, _ loop: ClientLoop<Abuser>, _ now: MonotonicInstant) -> MonotonicInstant? {
    guard socket >= 0 else { return nil }
    if habit.reads {
      reading: while true {
        switch Sockets.receive(socket, into: &loop.buffer) {
        case .bytes: continue
        case .nothing: break reading
        case .end:
          noteEnd()
          break reading
        case .gone: return lost(now)
        }
      }
    }
    if events & SocketEvents.gone != 0 { return lost(now) }
    // A long opening goes out as fast as the server takes it.
    if events & SocketEvents.writable != 0, sent < message.count, !push() { return lost(now) }
    if events & SocketEvents.ended != 0 { noteEnd() }
    // Who ended its own output has nothing left to do on a connection that the server ended too.
    if sawEnd, case .endsOutput = habit.then { return lost(now) }
    return nil
  }

  private func open(_ loop: ClientLoop<Abuser>, _ now: MonotonicInstant) -> MonotonicInstant? {
    if hasBegun, habit.returnsAfter == nil || now >= end { return nil }
    hasBegun = true
    do { socket = try Sockets.connect(port: port, receiveBuffer: habit.receiveBuffer) } catch {
      box.note { $0.notConnected += 1 }
      return now + .milliseconds(50)
    }
    loop.watch(socket)
    sawEnd = false
    message = habit.opening
    sent = 0
    let opened = loop.clock.monotonicNow
    box.note {
      $0.opened += 1
      $0.lastOpened = opened
    }
    guard push() else { return gone(now) }
    switch habit.then {
    case .stays: return habit.piece.isEmpty ? nil : now + habit.interval
    case .endsOutput:
      Sockets.endOutput(socket)
      return nil
    case .resets:
      Sockets.reset(socket)
      socket = -1
      box.note { $0.ended += 1 }
      return habit.returnsAfter.map { now + $0 }
    }
  }

  private func goOn(_ now: MonotonicInstant) -> MonotonicInstant? {
    if sent == message.count {
      message = habit.piece
      sent = 0
    }
    return push() ? now + habit.interval : gone(now)
  }

  private func push() -> Bool {
    guard let count = Sockets.send(message, from: sent, over: socket) else { return false }
    sent += count
    return true
  }

  private func noteEnd() {
    guard !sawEnd else { return }
    sawEnd = true
    box.note { $0.ended += 1 }
  }

  /// Says when it comes back.
  private func gone(_ now: MonotonicInstant) -> MonotonicInstant? {
    noteEnd()
    Sockets.close(socket)
    socket = -1
    return habit.returnsAfter.map { now + $0 }
  }

  /// The same, seen by the socket: a client that sends again and again has a timer already, and comes back by that.
  private func lost(_ now: MonotonicInstant) -> MonotonicInstant? {
    let comingBack = gone(now)
    if case .stays = habit.then, !habit.piece.isEmpty { return nil }
    return comingBack
  }
}
