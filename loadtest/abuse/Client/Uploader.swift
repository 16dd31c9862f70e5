import Base
import HTTP1

/// An honest client: uploads, waits for the answer, uploads again; at once, or every `period`. What is late counts from the
/// moment when it was due, so that a server that stands still cannot hide it.
final class Uploader: LoopClient {
  private let port: UInt16
  private let period: Nanoseconds?
  private let tally: TallyBox
  private var request: UploadRequest
  private var socket: Int32 = -1
  private var sent = 0
  private var due: MonotonicInstant?
  private var isOwed = false
  private var parser = ResponseParser(to: .post)
  private var head = ResponseHead()

  init(port: UInt16, _ request: UploadRequest, every period: Nanoseconds?, _ tally: TallyBox) {
    self.port = port
    self.request = request
    self.period = period
    self.tally = tally
  }

  deinit { if socket >= 0 { Sockets.close(socket) } }

  func wake(_ loop: ClientLoop<Uploader>, _ now: MonotonicInstant) -> MonotonicInstant? {
    if due == nil || period == nil { due = now }
    return begin(loop, now)
  }

  func ready(_ events: UInt32, _ loop: ClientLoop<Uploader>, _ now: MonotonicInstant) -> MonotonicInstant? {
    guard socket >= 0 else { return nil }
    if isOwed, events & SocketEvents.writable != 0, sent < request.bytes.count, !push() { return fail(now) }
    while true {
      switch Sockets.receive(socket, into: &loop.buffer) {
      case .nothing: return nil
      case .end, .gone: return fail(now)
      case .bytes(let count):
        guard isOwed else { return fail(now) }
        switch read(loop.buffer, count) {
        case nil: return fail(now)
        case false?: continue
        case true?: return answered(loop, loop.clock.monotonicNow)
        }
      }
    }
  }

  /// Sends the request that is due.
  private func begin(_ loop: ClientLoop<Uploader>, _ now: MonotonicInstant) -> MonotonicInstant? {
    if socket < 0 {
      do { socket = try Sockets.connect(port: port) } catch {
        tally.note { $0.broken += 1 }
        return now + .milliseconds(20)
      }
      loop.watch(socket)
    }
    request.renew(loop.clock.wallNow)
    sent = 0
    isOwed = true
    tally.note { $0.sent += 1 }
    return push() ? nil : fail(now)
  }

  private func push() -> Bool {
    guard let count = Sockets.send(request.bytes, from: sent, over: socket) else { return false }
    sent += count
    return true
  }

  /// True when the answer is complete, nil when it is none.
  private func read(_ buffer: [UInt8], _ count: Int) -> Bool? {
    let input = buffer.span.extracting(first: count)
    var taken = 0
    do throws(HTTPError) {
      while true {
        let step = try parser.next(input.extracting(taken..<count), into: &head)
        taken += step.taken
        if step.event == .end { return true }
        if step.event == .needMoreInput { return false }
      }
    } catch { return nil }
  }

  private func answered(_ loop: ClientLoop<Uploader>, _ now: MonotonicInstant) -> MonotonicInstant? {
    isOwed = false
    let isGood = head.status / 100 == 2
    let elapsed = UInt64(max(0, (now - (due ?? now)).count / 1_000))
    tally.note {
      $0.answered += 1
      if !isGood { $0.refused += 1 }
      $0.latency.record(elapsed)
    }
    parser.beginNextResponse(to: .post)
    if !head.keepAlive { hangUp() }
    guard let period else { return isGood ? next(loop, now) : now + .milliseconds(20) }
    let following = (due ?? now) + period
    due = following
    return following > now ? following : begin(loop, now)
  }

  /// The next one of a client that never rests.
  private func next(_ loop: ClientLoop<Uploader>, _ now: MonotonicInstant) -> MonotonicInstant? {
    due = now
    return begin(loop, now)
  }

  private func fail(_ now: MonotonicInstant) -> MonotonicInstant? {
    hangUp()
    // The server may end a connection on which nothing is owed; the next upload makes another.
    guard isOwed else { return nil }
    isOwed = false
    tally.note { $0.broken += 1 }
    return now + .milliseconds(20)
  }

  private func hangUp() {
    guard socket >= 0 else { return }
    Sockets.close(socket)
    socket = -1
    parser = ResponseParser(to: .post)
  }
}
