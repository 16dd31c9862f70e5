internal import Base
package import TLS

/// Says which handshakes meet a fault; called by all loops.
package protocol HandshakeFaultSource: Sendable {
  /// Whether any can: otherwise no handshake stops to be judged.
  var hasHandshakeFaults: Bool { get }
  /// `host` is the name that the client asks for, nil when it asks for none.
  func fault(host: String?, from peer: SocketAddress) -> HandshakeFault?
}

/// What a group of loops needs to serve TLS beside plain connections.
package struct SecureListening: Sendable {
  package let address: ListenAddress
  package let identity: TLSIdentity
  /// Sent to a client that speaks HTTP without TLS.
  package let plainAnswer: [UInt8]
  package let faults: (any HandshakeFaultSource)?

  package init(
    _ address: ListenAddress, _ identity: TLSIdentity, plainAnswer: [UInt8], faults: (any HandshakeFaultSource)? = nil
  ) {
    (self.address, self.identity, self.plainAnswer, self.faults) = (address, identity, plainAnswer, faults)
  }
}

/// A client whose handshake is not done. It becomes a connection, with a session, when it is.
final class PendingHandshake {
  /// Nil when a connection has it.
  var socket: FileDescriptor?
  let peer: SocketAddress
  let number: UInt32
  let deadline: MonotonicInstant
  /// Nil until the client has sent something: a connection without a byte costs little.
  var channel: TLSChannel?

  init(_ socket: consuming FileDescriptor, peer: SocketAddress, number: UInt32, deadline: MonotonicInstant) {
    self.socket = consume socket
    (self.peer, self.number, self.deadline) = (peer, number, deadline)
  }

  var token: ConnectionToken { .handshake(number) }
}

/// The handshakes of one loop, in the order in which they have come and in that in which they have begun.
struct HandshakeTable {
  private var byNumber: [UInt32: PendingHandshake] = [:]
  private var arrived = NumberQueue()
  private(set) var begun = NumberQueue()
  /// Those that a fault makes wait. They have no deadline but the end of that.
  private var holding: [UInt32: PendingHandshake] = [:]
  /// Those that have something to say: the work that is done for the begun ones is lost if they have to go.
  private var (reportedBegun, reportedNew) = (NumberStack(), NumberStack())
  private var prefersBegun = false
  private(set) var nextNumber: UInt32 = 0
  /// Those that have a channel.
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

  /// May be true for those that have gone meanwhile, and never false when there are any.
  var hasReported: Bool { !reportedBegun.isEmpty || !reportedNew.isEmpty }

  /// One that goes on and one that begins by turns, so that neither kind waits for the end of the other. The latest first: when
  /// there are more than can be served, the clients that have waited longest are those that give up, or must, as the oldest.
  mutating func takeReported() -> PendingHandshake? {
    prefersBegun.toggle()
    if prefersBegun {
      return reportedBegun.pop(from: byNumber) ?? reportedNew.pop(from: byNumber)
    }
    return reportedNew.pop(from: byNumber) ?? reportedBegun.pop(from: byNumber)
  }

  /// The one with the earliest deadline: all have the same time limit.
  var oldest: PendingHandshake? { arrived.first.flatMap { byNumber[$0] } }

  var oldestBegun: PendingHandshake? { begun.first.flatMap { byNumber[$0] } }
}

/// Numbers of which the last is wanted first. Those that mean nothing any more are dropped on the way, or when they are most.
struct NumberStack {
  private var numbers: [UInt32] = []

  var isEmpty: Bool { numbers.isEmpty }
  /// Of all that are kept.
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

/// Numbers in the order of their coming. Those that mean nothing any more are dropped when they are the first, and no
/// handshake lasts long enough for many to stand behind it.
struct NumberQueue {
  private var numbers: [UInt32] = []
  private var start = 0

  /// Of all that are kept.
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
