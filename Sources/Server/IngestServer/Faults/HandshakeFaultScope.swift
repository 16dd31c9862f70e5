import Base
import Network
import TLS

/// The values of a handshake that rules examine.
struct FaultHandshake: Sendable {
  /// The requested host; nil when the client sends no name, as for an IP address (RFC 6066 §3).
  let host: String?
  let address: SocketAddress.Host
  let at: WallInstant
}

/// The handshake faults that a server can produce.
enum HandshakeFaultScope: Sendable {
  /// None, because it has no TLS.
  case none
  /// Faults that need no signature of its certificate's authority, whose key it does not have.
  case unsigned
  case all

  init(_ settings: TLSSettings?) {
    switch settings?.certificate {
    case nil: self = .none
    case .files: self = .unsigned
    case .development: self = .all
    }
  }

  /// Returns what a rule must use instead of this fault; nil when the server can produce it.
  func problem(of fault: ServerFault) -> String? {
    guard fault.kind.isOfHandshake else { return nil }
    switch self {
    case .none: return "another kind: this server speaks no TLS; start it with --tls development or --tls-cert"
    case .unsigned:
      guard case .certificate(let problem) = fault, problem.needsAuthority else { return nil }
      return
        "the problem unknownAuthority, or another kind: \(problem.rawValue) must be signed by the authority of the "
        + "server's certificate, whose key this server has with --tls development only"
    case .all: return nil
    }
  }
}
