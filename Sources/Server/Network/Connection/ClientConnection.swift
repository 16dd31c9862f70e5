internal import Base
internal import TLS

/// A socket, its session and the data on its way between them.
final class ClientConnection<Session: ByteSession> {
  /// The state of the socket.
  enum Stage {
    case open
    /// The session has ended; its output is still being sent. The reason will be counted.
    case finishing(CloseReason)
    /// All output is sent and our side is shut down; further input is discarded.
    case lingering(CloseReason, discarded: Int)
  }

  let socket: FileDescriptor
  let token: ConnectionToken
  var session: Session
  /// The session's wishes after its last call. The loop reads them often, and calls the session, whose type it does not know,
  /// once.
  private(set) var wishes: SessionWishes
  var stage = Stage.open
  var input = InputBuffer()
  var output = OutputBuffer()
  var times: ConnectionTimes
  /// The events registered with epoll; changed only when an unwanted event is reported.
  var interest: UInt32
  /// Not changed while the timer that is set fires early enough.
  var timer: (token: TimerToken, instant: MonotonicInstant)?
  /// Whether the session could have continued, but had used up its share.
  var isInterrupted = false
  /// The TLS channel, if any.
  var channel: TLSChannel?
  /// Whether it is a connection of ours that is not established yet.
  var isConnecting = false
  /// Whether the client has ended its output.
  var sawEnd = false
  /// Whether the session was notified of that.
  var toldEnd = false

  init(
    socket: consuming FileDescriptor, token: ConnectionToken, session: Session, interest: UInt32, now: MonotonicInstant
  ) {
    self.socket = socket
    self.token = token
    self.session = session
    wishes = session.wishes
    self.interest = interest
    times = ConnectionTimes(now: now)
  }

  /// Whether TLS has buffered input for which there was no room; the socket does not report that.
  var hasUnread: Bool { isOpen && channel?.hasUnread ?? false }

  var isOpen: Bool {
    if case .open = stage { true } else { false }
  }

  /// Must be called after every call of the session.
  func noteWishes() { wishes = session.wishes }
}

/// Input that the session has not consumed. An empty buffer owns no memory, so that idle connections cost none.
struct InputBuffer {
  private var bytes: [UInt8] = []
  private var start = 0

  var count: Int { bytes.count - start }
  var isEmpty: Bool { count == 0 }

  mutating func append(_ new: Span<UInt8>) {
    if start > 0, start >= count { compact() }
    unsafe new.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
  }

  /// Passes all input and removes what was consumed; returns its length.
  mutating func offer(_ body: (Span<UInt8>) -> Int) -> Int {
    let taken = body(bytes.span.extracting(start..<bytes.count))
    precondition(taken >= 0 && taken <= count, "a session takes what it was shown")
    start += taken
    if start == bytes.count { self = InputBuffer() }
    return taken
  }

  private mutating func compact() {
    bytes.removeFirst(start)
    start = 0
  }
}

/// Output that the kernel has not accepted. An empty buffer owns no memory.
struct OutputBuffer {
  private var bytes: [UInt8] = []
  private var start = 0

  var count: Int { bytes.count - start }
  var isEmpty: Bool { count == 0 }

  /// Keeps the bytes of `new` from `offset`.
  mutating func append(_ new: [UInt8], from offset: Int) {
    guard offset < new.count else { return }
    if start > 0, start >= count {
      bytes.removeFirst(start)
      start = 0
    }
    bytes.append(contentsOf: new[offset...])
  }

  /// Passes the remaining bytes to `send` and removes what it accepted.
  mutating func flush(_ send: (RawSpan) throws(SystemError) -> Int) throws(SystemError) {
    start += try send(unsafe bytes.span.bytes.extracting(start..<bytes.count))
    if start == bytes.count { self = OutputBuffer() }
  }
}

/// The connections of one loop. A free place is reused, the last one first, under a new generation.
struct ConnectionTable<Session: ByteSession> {
  /// All elements are `ClientConnection<Session>`. The compiler knows the array's type here; with the session's generic type
  /// every use would query the runtime.
  private var places: [AnyObject?] = []
  private var generations: [UInt32] = []
  private var free: [UInt32] = []
  private(set) var count = 0

  /// The token that the next `insert` must use.
  var nextToken: ConnectionToken {
    guard let place = free.last else { return ConnectionToken(place: UInt32(places.count), generation: 0) }
    return ConnectionToken(place: place, generation: generations[Int(place)])
  }

  mutating func insert(_ connection: ClientConnection<Session>) {
    precondition(connection.token == nextToken, "a connection is inserted under the next token")
    if free.popLast() == nil {
      places.append(connection)
      generations.append(0)
    } else {
      places[Int(connection.token.place)] = connection
    }
    count += 1
  }

  /// Returns nil for a closed connection, also when another has its place.
  subscript(token: ConnectionToken) -> ClientConnection<Session>? {
    let place = Int(token.place)
    guard place < places.count, generations[place] == token.generation else { return nil }
    return places[place].map { unsafe unsafeDowncast($0, to: ClientConnection<Session>.self) }
  }

  mutating func remove(_ token: ConnectionToken) {
    let place = Int(token.place)
    precondition(self[token] != nil, "a connection is removed once")
    places[place] = nil
    generations[place] &+= 1
    free.append(token.place)
    count -= 1
  }

  /// A copy, because the caller closes connections while iterating.
  var all: [ClientConnection<Session>] { places.compactMap { $0 as? ClientConnection<Session> } }
}

/// Identifies one connection of a loop permanently: the place in the table is reused but the generation is not, so that an
/// event or message for a closed connection is recognized. Places 0xFFFF_FFF0 and above are not connections.
package struct ConnectionToken: Hashable, Sendable {
  let place: UInt32
  let generation: UInt32

  init(place: UInt32, generation: UInt32) {
    self.place = place
    self.generation = generation
  }

  /// Restores a token from a word that passed through epoll, or that its owner has kept.
  package init(word: UInt64) {
    self.init(place: UInt32(truncatingIfNeeded: word), generation: UInt32(truncatingIfNeeded: word >> 32))
  }

  package var word: UInt64 { UInt64(generation) << 32 | UInt64(place) }

  static let listener = ConnectionToken(place: 0xFFFF_FFF0, generation: 0)
  static let mailbox = ConnectionToken(place: 0xFFFF_FFF1, generation: 0)
  static let secureListener = ConnectionToken(place: 0xFFFF_FFF2, generation: 0)

  private static let handshakePlace: UInt32 = 0xFFFF_FFF3

  static func handshake(_ number: UInt32) -> ConnectionToken {
    ConnectionToken(place: handshakePlace, generation: number)
  }

  /// The number of the handshake that it identifies.
  var handshake: UInt32? { place == ConnectionToken.handshakePlace ? generation : nil }
}
