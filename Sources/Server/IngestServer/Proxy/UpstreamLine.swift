import Base
import HTTP1
import Network

/// Why the upstream gave no answer, or an incomplete one.
enum UpstreamFailure {
  case unreachable(SystemError)
  /// It has not accepted the connection in time.
  case connectTimeout
  /// It has sent nothing for the time limit of answers.
  case answerTimeout
  /// It has closed or reset the connection.
  case closed
  /// It has sent something other than a response.
  case malformed(HTTPError)
}

/// A connection to the upstream: in use by one exchange, or idle in the pool.
final class UpstreamLine: ProxyEnd {
  private let pool: UpstreamPool
  /// The session that it serves, even when the client is gone; nil while it is idle.
  private var session: ProxySession?
  private var token: ConnectionToken?
  private var isConnected = false
  private var isEnding = false
  /// Whether it has served a request before, and may have been closed since without notice.
  private(set) var isReused = false
  /// Whether bytes of an answer have arrived for this exchange.
  private(set) var hasAnswered = false
  var parser: ResponseParser
  private var since: MonotonicInstant

  init(_ pool: UpstreamPool, for session: ProxySession, to method: HTTPMethod, now: MonotonicInstant) {
    self.pool = pool
    parser = ResponseParser(to: method, limits: pool.limits)
    since = now
    self.session = session
    super.init()
    wishes.phase = .answering
  }

  func opened(_ token: ConnectionToken) {
    self.token = token
    noteWishes()
  }

  /// Begins another exchange on a kept connection.
  func begin(for session: ProxySession, to method: HTTPMethod, now: MonotonicInstant) {
    self.session = session
    parser = ResponseParser(to: method, limits: pool.limits)
    isReused = true
    hasAnswered = false
    since = now
  }

  /// Ends the exchange, so that another may follow.
  func becomeIdle(now: MonotonicInstant) {
    session = nil
    since = now
  }

  /// Closes the connection: the session does not need it any more, and it cannot be reused.
  func abandon() {
    session = nil
    isEnding = true
    nudge()
  }

  /// Called when the session has bytes for it, or room for bytes.
  func nudge() { if let token { pool.peers.nudge(token) } }

  override func connected(_ output: inout SessionOutput) {
    isConnected = true
    since = output.now
    work(&output)
  }

  override func nudged(_ output: inout SessionOutput) { work(&output) }

  override func produce(_ output: inout SessionOutput) { work(&output) }

  override func receive(_ input: Span<UInt8>, _ output: inout SessionOutput) -> Int {
    guard let session else { return refuseMore(input) }
    hasAnswered = true
    since = output.now
    let taken = session.answerCame(input, from: self, now: output.now)
    // Bytes after the answer belong to no request and must not become the next answer.
    if self.session == nil, taken < input.count { return refuseMore(input) }
    noteWishes()
    return taken
  }

  private func refuseMore(_ input: Span<UInt8>) -> Int {
    pool.remove(self)
    isEnding = true
    noteWishes()
    return input.count
  }

  override func inputEnded(_ output: inout SessionOutput) {
    pool.remove(self)
    isEnding = true
    if let session {
      self.session = nil
      session.upstreamEnded(self, now: output.now)
    }
    noteWishes()
  }

  override func alarmFired(_ output: inout SessionOutput) {
    wishes.alarm = nil
    guard let due = dueAt, due <= output.now else { return noteWishes() }
    pool.remove(self)
    isEnding = true
    if let session {
      self.session = nil
      session.upstreamFailed(self, isConnected ? .answerTimeout : .connectTimeout, now: output.now)
    }
    noteWishes()
  }

  override func drain(_ output: inout SessionOutput) {
    pool.isDraining = true
    if session == nil { isEnding = true }
    noteWishes()
  }

  override func connectFailed(_ error: SystemError) {
    let session = self.session
    self.session = nil
    session?.upstreamFailed(self, .unreachable(error), now: since)
  }

  override func closed(_ reason: CloseReason, now: MonotonicInstant) {
    pool.remove(self)
    let session = self.session
    self.session = nil
    // On an orderly end its input has ended before.
    session?.upstreamFailed(self, .closed, now: now)
  }

  /// Sends the session's output for the upstream, as far as there is room.
  private func work(_ output: inout SessionOutput) {
    if let session, isConnected, !session.toUpstream.isEmpty, output.unsentBefore <= Self.heldBytesMax / 2 {
      since = output.now
      session.toUpstream.move(to: &output.bytes)
      session.upstreamHasRoom()
    }
    noteWishes()
  }

  private func noteWishes() {
    wishes.ending = isEnding ? .atOnce : .open
    wishes.wantsInput = session?.takesAnswer ?? true
    wishes.hasMoreOutput = isConnected && session?.toUpstream.isEmpty == false
    wishes.alarm = dueAt
  }

  private var dueAt: MonotonicInstant? {
    guard let session else { return since + pool.times.idle }
    if !isConnected { return since + pool.times.connect }
    return session.awaitsUpstream ? since + pool.times.answer : nil
  }
}

/// The connections of one loop to the upstream.
final class UpstreamPool {
  let peers: LoopPeers<ProxyEnd>
  let limits: HTTPLimits
  let times: UpstreamTimes
  private let address: SocketAddress
  private var idle: [UpstreamLine] = []
  /// Whether the proxy is about to stop: then no connection is kept.
  var isDraining = false
  /// The maximum of idle connections; further ones are closed when they become idle.
  private static let idleMax = 1_024

  init(
    _ peers: LoopPeers<ProxyEnd>, to address: SocketAddress, limits: HTTPLimits, times: UpstreamTimes = UpstreamTimes()
  ) {
    (self.peers, self.address, self.limits, self.times) = (peers, address, limits, times)
  }

  /// Returns the most recently used connection, or a new one.
  func take(for session: ProxySession, to method: HTTPMethod, now: MonotonicInstant) -> UpstreamLine {
    guard let line = idle.popLast() else { return open(for: session, to: method, now: now) }
    line.begin(for: session, to: method, now: now)
    return line
  }

  func open(for session: ProxySession, to method: HTTPMethod, now: MonotonicInstant) -> UpstreamLine {
    let line = UpstreamLine(self, for: session, to: method, now: now)
    peers.open(to: address) { token in
      line.opened(token)
      return line
    }
    return line
  }

  func giveBack(_ line: UpstreamLine, now: MonotonicInstant) {
    guard !isDraining, idle.count < Self.idleMax else { return line.abandon() }
    line.becomeIdle(now: now)
    idle.append(line)
  }

  func remove(_ line: UpstreamLine) { idle.removeAll { $0 === line } }
}
