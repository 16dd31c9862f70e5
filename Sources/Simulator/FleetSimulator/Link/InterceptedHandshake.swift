import Base
import IngestServer
import Network
import Scenario
import TLS

/// The effect of an intercepting proxy on a handshake.
enum InterceptedHandshake: Equatable {
  case fails(message: String)
  case takes(Nanoseconds)
}

extension DeviceLink {
  /// Reports whether requests use connections to a real server, of which nothing is known here.
  func isCarried(in run: RunContext) -> Bool { run.transport != nil || run.lockstep?.latency == .measured }

  /// Returns the effect of active faults; nil when nothing is intercepted, or when the server injects the fault.
  func interception(under faults: FaultTimeline, in run: RunContext) -> InterceptedHandshake? {
    var wait = Nanoseconds.zero
    for spell in faults.running {
      let fault = run.faults.faults[spell.fault]
      guard case .tls(let tls) = fault.action, !run.isRuleOfHandshakes(fault) else { continue }
      if let message = tls.problem.message(isPinned: run.setup.pinsKey) { return .fails(message: message) }
      if tls.problem == .slow { wait = wait + tls.wait }
    }
    return wait > .zero ? .takes(wait) : nil
  }

  /// Closes the idle connection, because the proxy is in another network.
  mutating func handshakeWithProxy(at instant: MonotonicInstant, in run: RunContext) {
    idleConnection?.serverEnd?.close(.clientClosed, at: run.setup.moment(at: instant))
    idleConnection = nil
    run.transport?.changeNetwork(of: device)
  }
}

extension TLSProblem {
  /// Returns the message of libcurl with OpenSSL, so that a virtual run reads like a real one; nil when the handshake succeeds.
  func message(isPinned: Bool) -> String? {
    switch self {
    case .expired: "SSL certificate problem: certificate has expired"
    case .notYetValid: "SSL certificate problem: certificate is not yet valid"
    case .wrongHost: "SSL: no alternative certificate subject name matches target host name"
    case .unknownAuthority: "SSL certificate problem: unable to get local issuer certificate"
    case .revoked: "the server says that its certificate is revoked"
    case .changedKey: isPinned ? "SSL: public key does not match pinned public key" : nil
    case .cut: "Recv failure: Connection reset by peer"
    case .slow: nil
    }
  }
}

extension TLSFault {
  /// The corresponding rule of a server.
  var serverFault: ServerFault {
    switch problem {
    case .expired: .certificate(.expired)
    case .notYetValid: .certificate(.notYetValid)
    case .wrongHost: .certificate(.wrongHost)
    case .unknownAuthority: .certificate(.unknownAuthority)
    case .revoked: .certificate(.revoked)
    case .changedKey: .certificate(.changed)
    case .cut: .cutHandshake
    case .slow: .slowHandshake(wait.wholeMilliseconds...wait.wholeMilliseconds)
    }
  }
}
