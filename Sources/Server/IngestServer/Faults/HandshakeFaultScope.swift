import Base
import Network
import TLS

/// What a rule looks at before there is a request.
struct FaultHandshake: Sendable {
  /// Nil when the client asks for none, as for an address it must not (RFC 6066 §3).
  let host: String?
  let address: SocketAddress.Host
  let at: WallInstant
}

/// Which faults of handshakes a server can make.
enum HandshakeFaultScope: Sendable {
  /// It has no TLS.
  case none
  /// Its certificate is of an authority whose key it has not.
  case unsigned
  case all

  init(_ settings: TLSSettings?) {
    switch settings?.certificate {
    case nil: self = .none
    case .files: self = .unsigned
    case .development: self = .all
    }
  }

  /// What a rule must be instead; nil when it can be.
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
