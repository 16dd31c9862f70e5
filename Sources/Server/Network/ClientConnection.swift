internal import Base
internal import TLS

/// A socket, its session and what is on its way between them.
final class ClientConnection<Session: ByteSession> {
  /// What becomes of the socket.
  enum Stage {
    case open
    /// The session has ended; its output is still being sent. The reason is what will be counted.
    case finishing(CloseReason)
    /// All output is sent and our side shut down; the rest of the input is thrown away.
    case lingering(CloseReason, discarded: Int)
  }

  let socket: FileDescriptor
  let token: ConnectionToken
  var session: Session
  /// What the session wanted after its last call. The loop looks at it many times, and asks the session, whose type it
  /// does not know, once.
  private(set) var wishes: SessionWishes
  var stage = Stage.open
  var input = InputBuffer()
  var output = OutputBuffer()
  var times: ConnectionTimes
  /// The events that epoll reports for the socket; changed only when it reports something that is not wanted.
  var interest: UInt32
  /// No timer is moved while the one that is set comes early enough.
  var timer: (token: TimerToken, instant: MonotonicInstant)?
  /// The session could have gone on, but the others had to have their turn.
  var isInterrupted = false
  /// TLS, where it is spoken.
  var channel: TLSChannel?
  /// One of ours, which does not stand yet.
  var isConnecting = false
  /// The client has ended its output.
  var sawEnd = false
  /// The session knows that.
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

  /// TLS has kept back what had no room; the socket does not report that.
  var hasUnread: Bool { isOpen && channel?.hasUnread ?? false }

  var isOpen: Bool {
    if case .open = stage { true } else { false }
  }

  /// To be called after every call of the session.
  func noteWishes() { wishes = session.wishes }
}

/// Input that the session has not taken. An empty one owns no memory, which is what an idle connection costs.
struct InputBuffer {
  private var bytes: [UInt8] = []
  private var start = 0

  var count: Int { bytes.count - start }
  var isEmpty: Bool { count == 0 }

  mutating func append(_ new: Span<UInt8>) {
    if start > 0, start >= count { compact() }
    unsafe new.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
  }

  /// Shows the whole and removes what was taken; returns its number.
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

/// Output that the kernel has not taken. An empty one owns no memory.
struct OutputBuffer {
  private var bytes: [UInt8] = []
  private var start = 0

  var count: Int { bytes.count - start }
  var isEmpty: Bool { count == 0 }

  /// Keeps what of `new` begins at `offset`.
  mutating func append(_ new: [UInt8], from offset: Int) {
    guard offset < new.count else { return }
    if start > 0, start >= count {
      bytes.removeFirst(start)
      start = 0
    }
    bytes.append(contentsOf: new[offset...])
  }

  /// Shows what is left to `send` and forgets what it took.
  mutating func flush(_ send: (RawSpan) throws(SystemError) -> Int) throws(SystemError) {
    start += try send(unsafe bytes.span.bytes.extracting(start..<bytes.count))
    if start == bytes.count { self = OutputBuffer() }
  }
}

/// The connections of one loop. A place that becomes free is used again, the last one first, under a new generation.
struct ConnectionTable<Session: ByteSession> {
  /// All of them are `ClientConnection<Session>`. The array is of a type that the compiler knows here, where it does not
  /// know the session's, and asks the runtime for every type that is made of it.
  private var places: [AnyObject?] = []
  private var generations: [UInt32] = []
  private var free: [UInt32] = []
  private(set) var count = 0

  /// The token that the next `insert` has to use.
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

  /// Nil for a connection that is gone, also when another has its place.
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

  /// A copy: the caller closes connections while it goes through them.
  var all: [ClientConnection<Session>] { places.compactMap { $0 as? ClientConnection<Session> } }
}

/// Names one connection of one loop for ever: the place in the table is used again, the generation is not, so that an
/// event or a message for a connection that is gone is recognised. Places 0xFFFF_FFF0 and above are not connections.
package struct ConnectionToken: Hashable, Sendable {
  let place: UInt32
  let generation: UInt32

  init(place: UInt32, generation: UInt32) {
    self.place = place
    self.generation = generation
  }

  /// From a word that went through epoll, or from an owner that keeps words only.
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

  /// The number of the handshake that it names.
  var handshake: UInt32? { place == ConnectionToken.handshakePlace ? generation : nil }
}
