internal import Base

/// A socket, its session and what is on its way between them.
final class Connection<Session: ByteSession> {
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

  var isOpen: Bool {
    if case .open = stage { true } else { false }
  }

  /// To be called after every call of the session.
  func noteWishes() { wishes = session.wishes }
}
