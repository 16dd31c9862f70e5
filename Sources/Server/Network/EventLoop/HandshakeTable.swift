internal import Base
package import TLS

/// Chooses faults for handshakes; called by all loops.
package protocol HandshakeFaultSource: Sendable {
  /// Whether there are any faults: otherwise no handshake stops to be checked.
  var hasHandshakeFaults: Bool { get }
  /// Returns the fault of a handshake. `host` is the name that the client requests, nil when it requests none.
  func fault(host: String?, from peer: SocketAddress) -> HandshakeFault?
}

/// The settings of a group of loops that serves TLS beside plain connections.
package struct SecureListening: Sendable {
  package let address: ListenAddress
  package let identity: TLSIdentity
  /// The answer to a client that speaks HTTP without TLS.
  package let plainAnswer: [UInt8]
  package let faults: (any HandshakeFaultSource)?

  package init(
    _ address: ListenAddress, _ identity: TLSIdentity, plainAnswer: [UInt8], faults: (any HandshakeFaultSource)? = nil
  ) {
    (self.address, self.identity, self.plainAnswer, self.faults) = (address, identity, plainAnswer, faults)
  }
}

/// A client whose handshake is not complete. It then becomes a connection, with a session.
final class PendingHandshake {
  /// The socket; nil when a connection has taken it.
  var socket: FileDescriptor?
  let peer: SocketAddress
  let number: UInt32
  let deadline: MonotonicInstant
  /// The TLS channel; nil until the client has sent something: a connection without a byte costs little.
  var channel: TLSChannel?

  init(_ socket: consuming FileDescriptor, peer: SocketAddress, number: UInt32, deadline: MonotonicInstant) {
    self.socket = consume socket
    (self.peer, self.number, self.deadline) = (peer, number, deadline)
  }

  var token: ConnectionToken { .handshake(number) }
}

/// The handshakes of one loop, in order of arrival and in the order in which they began.
struct HandshakeTable {
  private var byNumber: [UInt32: PendingHandshake] = [:]
  private var arrived = NumberQueue()
  private(set) var begun = NumberQueue()
  /// Handshakes that a fault delays. Their only deadline is the end of the delay.
  private var holding: [UInt32: PendingHandshake] = [:]
  /// Handshakes whose sockets are ready. Begun ones are separate: their work is lost if they time out.
  private var (reportedBegun, reportedNew) = (NumberStack(), NumberStack())
  private var prefersBegun = false
  private(set) var nextNumber: UInt32 = 0
  /// The number of handshakes with a channel.
  private(set) var begunCount = 0

  var all: [PendingHandshake] { Array(byNumber.values) + Array(holding.values) }

  subscript(number: UInt32) -> PendingHandshake? { byNumber[number] }

  mutating func insert(_ handshake: PendingHandshake) {
    precondition(handshake.number == nextNumber, "a handshake has the next number")
    byNumber[nextNumber] = handshake
    arrived.append(nextNumber)
    nextNumber &+= 1
  }

  mutating func begin(_ handshake: PendingHandshake, _ channel: TLSChannel) {
    precondition(handshake.channel == nil, "a handshake begins once")
    handshake.channel = channel
    begun.append(handshake.number)
    begunCount += 1
  }

  func held(_ number: UInt32) -> PendingHandshake? { holding[number] }

  mutating func hold(_ handshake: PendingHandshake) {
    remove(handshake)
    holding[handshake.number] = handshake
  }

  mutating func remove(_ handshake: PendingHandshake) {
    if holding.removeValue(forKey: handshake.number) != nil { return }
    guard byNumber.removeValue(forKey: handshake.number) != nil else { return }
    if handshake.channel != nil { begunCount -= 1 }
    arrived.dropFirst { byNumber[$0] == nil }
    begun.dropFirst { byNumber[$0] == nil }
  }

  mutating func report(_ number: UInt32) {
    guard let handshake = byNumber[number] else { return }
    if handshake.channel == nil {
      reportedNew.push(number, among: byNumber)
    } else {
      reportedBegun.push(number, among: byNumber)
    }
  }

  /// May be true when only ended handshakes are left, and is never false when there are others.
  var hasReported: Bool { !reportedBegun.isEmpty || !reportedNew.isEmpty }

  /// Alternates between handshakes that continue and those that begin, so that neither kind starves. The latest first: under
  /// overload, the clients that have waited longest are those that give up, or time out.
  mutating func takeReported() -> PendingHandshake? {
    prefersBegun.toggle()
    if prefersBegun {
      return reportedBegun.pop(from: byNumber) ?? reportedNew.pop(from: byNumber)
    }
    return reportedNew.pop(from: byNumber) ?? reportedBegun.pop(from: byNumber)
  }

  /// The handshake with the earliest deadline: all have the same time limit.
  var oldest: PendingHandshake? { arrived.first.flatMap { byNumber[$0] } }

  var oldestBegun: PendingHandshake? { begun.first.flatMap { byNumber[$0] } }
}

/// A stack of numbers. Stale ones are dropped when they are popped, or when they outnumber the others.
struct NumberStack {
  private var numbers: [UInt32] = []

  var isEmpty: Bool { numbers.isEmpty }
  /// Counts stale numbers too.
  var count: Int { numbers.count }

  mutating func push(_ number: UInt32, among known: [UInt32: PendingHandshake]) {
    if numbers.count > 2 * known.count { numbers.removeAll { known[$0] == nil } }
    numbers.append(number)
  }

  mutating func pop(from known: [UInt32: PendingHandshake]) -> PendingHandshake? {
    while let number = numbers.popLast() {
      if let handshake = known[number] { return handshake }
    }
    return nil
  }
}

/// A queue of numbers. Stale ones are dropped at the front, and no handshake lasts long enough for many to collect behind it.
struct NumberQueue {
  private var numbers: [UInt32] = []
  private var start = 0

  /// Counts stale numbers too.
  var count: Int { numbers.count }
  var first: UInt32? { start < numbers.count ? numbers[start] : nil }

  mutating func append(_ number: UInt32) { numbers.append(number) }

  mutating func dropFirst(while isGone: (UInt32) -> Bool) {
    while start < numbers.count, isGone(numbers[start]) { start += 1 }
    guard start > numbers.count / 2 else { return }
    numbers.removeFirst(start)
    start = 0
  }
}
