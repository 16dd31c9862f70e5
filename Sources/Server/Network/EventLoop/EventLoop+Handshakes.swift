internal import Base
internal import Glibc
internal import TLS

/// Clients of the TLS listener whose handshake is not complete.
extension EventLoop {
  /// Registers a socket of the TLS listener; nothing is allocated for TLS before it has sent something.
  func expectHandshake(_ accepted: consuming AcceptedSocket) throws(SystemError) {
    let token = ConnectionToken.handshake(handshakes.nextNumber)
    try poller.add(accepted.descriptor.number, Poller.readable | Poller.once, token: token)
    counters.countAccepted()
    _ = insertHandshake(accepted.descriptor, from: accepted.peer)
  }

  /// Called when the socket of a handshake is ready.
  func noteHandshake(_ number: UInt32) {
    // For one that a fault delays only the end of the connection is reported.
    if let handshake = handshakes.held(number) { fail(handshake, .cut) } else { handshakes.report(number) }
  }

  /// Makes handshakes for a bounded time per turn, after the connections, because each costs as much as many requests.
  func makeHandshakes() {
    guard handshakes.hasReported else { return }
    let end = clock.monotonicNow + configuration.handshakesPerTurn
    repeat {
      guard let handshake = handshakes.takeReported() else { return }
      advance(handshake)
      settle()
    } while clock.monotonicNow < end
  }

  private func advance(_ handshake: PendingHandshake) {
    guard let channel = handshake.channel ?? begin(handshake) else { return }
    var progress = channel.handshake()
    if case .clientHello(let host) = progress {
      guard goesOn(handshake, channel, askingFor: host) else { return }
      progress = channel.handshake()
    }
    switch progress {
    case .done: establish(handshake, channel)
    case .wantsToRead: watch(handshake, Poller.readable)
    case .wantsToWrite: watch(handshake, Poller.writable)
    case .failed(.cut): fail(handshake, .cut)
    case .failed(let failure): refuse(handshake, failure)
    case .clientHello: preconditionFailure("a handshake has one first message")
    }
  }

  /// Applies a fault, which is chosen after the client has named the host. Returns false when the handshake does not continue
  /// now.
  private func goesOn(_ handshake: PendingHandshake, _ channel: TLSChannel, askingFor host: String?) -> Bool {
    guard let secure = configuration.secure else { preconditionFailure("a handshake has a certificate") }
    switch secure.faults?.fault(host: host, from: handshake.peer) {
    case nil: return true
    case .certificate(let fault)?:
      guard !secure.identity.show(fault, over: channel) else { return true }
      fail(handshake, .exhausted)
    case .cut?:
      if let number = handshake.socket?.number { Syscalls.resetOnClose(number) }
      fail(handshake, .fault)
    case .slow(let time)?:
      watch(handshake, 0)
      handshakes.hold(handshake)
      timers.schedule(at: now + time, .heldHandshake(handshake.number))
    }
    return false
  }

  /// The delay of the fault has ended: the handshake continues with the usual time limit.
  func releaseHandshake(_ number: UInt32) {
    guard let held = handshakes.held(number), let channel = held.channel, let socket = held.socket.take() else {
      return
    }
    handshakes.remove(held)
    let handshake = insertHandshake(socket, from: held.peer)
    makeRoom()
    handshakes.begin(handshake, channel)
    // Bytes that were already read are no longer in the socket, so epoll will not report them.
    advance(handshake)
  }

  private func insertHandshake(_ socket: consuming FileDescriptor, from peer: SocketAddress) -> PendingHandshake {
    let handshake = PendingHandshake(
      socket, peer: peer, number: handshakes.nextNumber, deadline: now + configuration.times.handshake)
    handshakes.insert(handshake)
    if !isWatchingHandshakes { expireHandshakes() }
    return handshake
  }

  /// Ends the oldest handshake when there are too many.
  private func makeRoom() {
    if handshakes.begunCount >= configuration.handshakesMax, let oldest = handshakes.oldestBegun {
      fail(oldest, .crowded)
    }
  }

  func expireHandshakes() {
    isWatchingHandshakes = false
    while let handshake = handshakes.oldest {
      guard handshake.deadline <= now else {
        timers.schedule(at: handshake.deadline, .handshakes)
        isWatchingHandshakes = true
        return
      }
      fail(handshake, .timeout)
    }
  }

  func endHandshakes(_ reason: CloseReason) {
    for handshake in handshakes.all { end(handshake, reason) }
  }

  /// Checks the first byte before anything is allocated for the client.
  private func begin(_ handshake: PendingHandshake) -> TLSChannel? {
    guard let secure = configuration.secure else { preconditionFailure("a handshake has a certificate") }
    switch firstByte(of: handshake) {
    case .byte(0x16): break  // RFC 8446 §5.1: a record of the handshake.
    case .byte(UInt8(ascii: "A")...UInt8(ascii: "Z")): return refuse(handshake, .plainHTTP, secure.plainAnswer)
    case .byte: return fail(handshake, .notTLS)
    case .end: return fail(handshake, .cut)
    case .nothing:
      watch(handshake, Poller.readable)
      return nil
    }
    makeRoom()
    guard let number = handshake.socket?.number,
      let channel = secure.identity.channel(
        over: number, stopsAtGreeting: secure.faults?.hasHandshakeFaults ?? false)
    else { return fail(handshake, .exhausted) }
    handshakes.begin(handshake, channel)
    return channel
  }

  private enum FirstByte {
    case byte(UInt8)
    case end
    case nothing
  }

  private func firstByte(of handshake: PendingHandshake) -> FirstByte {
    guard let number = handshake.socket?.number else { return .end }
    do throws(SystemError) {
      return try Syscalls.peek(number).map { .byte($0) } ?? .end
    } catch {
      return error.isWouldBlock ? .nothing : .end
    }
  }

  private func establish(_ handshake: PendingHandshake, _ channel: TLSChannel) {
    let facts = channel.facts
    counters.countHandshake(isResumed: facts.isResumed)
    guard let connection = promote(handshake, channel, facts) else { return }
    advance(connection)
    // Data that arrived with the end of the handshake is no longer in the socket.
    if connections[connection.token] != nil, channel.hasPending, reads(connection) { read(connection) }
  }

  /// Turns the handshake into a connection.
  private func promote(
    _ handshake: PendingHandshake, _ channel: TLSChannel?, _ facts: TLSFacts?
  ) -> ClientConnection<Session>? {
    guard let socket = handshake.socket.take() else { return nil }
    handshakes.remove(handshake)
    let token = connections.nextToken
    poller.modify(socket.number, Poller.readable, token: token)
    let session = makeSession(Accepted(token: token, peer: handshake.peer, tls: facts))
    let connection = ClientConnection(
      socket: socket, token: token, session: session, interest: Poller.readable, now: now)
    connection.channel = channel
    connections.insert(connection)
    return connection
  }

  /// The client can read its refusal, in HTTP or as a TLS alert, before the connection ends, like the last answer of any
  /// connection: more of its data may be on the way, because in TLS 1.3 a client completes the handshake before the server.
  @discardableResult
  private func refuse(
    _ handshake: PendingHandshake, _ failure: HandshakeFailure, _ answer: [UInt8] = []
  ) -> TLSChannel? {
    counters.countHandshakeFailure(failure)
    guard let connection = promote(handshake, nil, nil) else { return nil }
    beginCall(connection)
    output.bytes += answer
    if flush(connection) { finish(connection, .handshakeFailed) }
    return nil
  }

  @discardableResult
  private func fail(_ handshake: PendingHandshake, _ failure: HandshakeFailure) -> TLSChannel? {
    counters.countHandshakeFailure(failure)
    end(handshake, .handshakeFailed)
    return nil
  }

  private func end(_ handshake: PendingHandshake, _ reason: CloseReason) {
    handshakes.remove(handshake)
    handshake.channel = nil
    handshake.socket = nil
    counters.countClosed(reason)
    quota.giveBack()
  }

  /// Reported once, so that handshakes waiting for their turn are not reported again in every turn before all others.
  private func watch(_ handshake: PendingHandshake, _ events: UInt32) {
    guard let number = handshake.socket?.number else { return }
    poller.modify(number, events | Poller.once, token: handshake.token)
  }
}

/// The bytes of a connection, through TLS if it has that.
extension EventLoop {
  /// Slow clients are judged by the bytes on the wire, including those of incomplete records.
  func receive(_ connection: ClientConnection<Session>, atMost room: Int) throws(SystemError) -> Int {
    guard let channel = connection.channel else {
      let count = try Syscalls.receive(connection.socket.number, into: &readBuffer, atMost: room)
      connection.times.received(count, now: now, under: configuration.times)
      return count
    }
    let before = channel.bytesReceived
    defer {
      connection.times.received(channel.bytesReceived - before, now: now, under: configuration.times)
    }
    return try EventLoop.count(channel.read(into: &readBuffer, atMost: room), "recv")
  }

  func send(_ connection: ClientConnection<Session>, _ bytes: RawSpan) throws(SystemError) -> Int {
    guard let channel = connection.channel else {
      let count = try Syscalls.send(connection.socket.number, bytes)
      if count > 0 { connection.times.sent(now: now) }
      return count
    }
    let before = channel.bytesSent
    defer { if channel.bytesSent > before { connection.times.sent(now: now) } }
    return try EventLoop.count(channel.write(bytes), "send")
  }

  private static func count(_ outcome: TLSChannel.Outcome, _ call: String) throws(SystemError) -> Int {
    switch outcome {
    case .bytes(let count): return count
    case .end: return 0
    case .later: throw SystemError(call: call, code: EAGAIN)
    case .lost(let code): throw SystemError(call: call, code: code)
    case .invalid: throw SystemError(call: call, code: EPROTO)
    }
  }
}
