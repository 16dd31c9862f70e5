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
  var interest: UInt32

  init(
    _ socket: consuming FileDescriptor, peer: SocketAddress, number: UInt32, deadline: MonotonicInstant,
    interest: UInt32
  ) {
    self.socket = consume socket
    (self.peer, self.number, self.deadline, self.interest) = (peer, number, deadline, interest)
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
  private(set) var nextNumber: UInt32 = 0
  /// Those that have a channel.
  private(set) var begunCount = 0

  var isEmpty: Bool { byNumber.isEmpty && holding.isEmpty }
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

  /// The one whose time ends first: all have the same.
  var oldest: PendingHandshake? { arrived.first.flatMap { byNumber[$0] } }

  var oldestBegun: PendingHandshake? { begun.first.flatMap { byNumber[$0] } }
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
