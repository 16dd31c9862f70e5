package import Base

/// What becomes of handshakes of TLS, as in a network with a proxy that intercepts them.
package struct TLSFault: Equatable, Sendable {
  package var problem = TLSProblem.unknownAuthority
  /// Of a slow handshake.
  package var delay: Nanoseconds?

  package init() {}

  /// How much longer a slow handshake takes.
  package var wait: Nanoseconds { delay ?? .seconds(5) }
}

extension TLSFault: ScenarioSection, FaultKind {
  var span: FaultSpan { .state }
  /// `problem` is required.
  var isEmpty: Bool { false }

  func problems(in scenario: Scenario) -> [String] {
    var problems: [String] = []
    if delay != nil, problem != .slow { problems.append("only a slow handshake has a delay; remove it") }
    if problem == .changedKey, scenario.target.security.pinnedKey == nil {
      problems.append(
        "only an app that pins the server's key notices another one; add target: { tls: { pinnedKey: \"sha256//…\" } }")
    }
    return problems
  }

  /// A changed key is none: only an app that pins one notices it.
  static func examples(_ draws: inout ExampleDraws) -> [String] {
    let certificates: [TLSProblem] = [.expired, .notYetValid, .wrongHost, .unknownAuthority, .revoked]
    let certificate = draws.one(of: certificates.map(\.rawValue))
    return [
      #"{ "problem": "\#(certificate)" }"#, #"{ "problem": "cut" }"#,
      #"{ "problem": "slow", "delay": "\#(draws.milliseconds)ms" }"#,
    ]
  }

  static let table = Table<TLSFault>(
    "tls-fault",
    "TLS handshakes of the affected devices go wrong, as in a network with an intercepting proxy. When the fault begins, idle connections are closed, as at a change of network. In virtual time every connection counts as a TLS connection.",
    [
      .required("problem", \.problem, .choice, "What is wrong with the handshake."),
      .optional("delay", \.delay, .duration, "With `slow`: how much longer the handshake takes; 5s by default."),
    ])
}

/// What may be wrong with a handshake.
package enum TLSProblem: String, CaseIterable, Sendable {
  case expired
  case notYetValid = "not-yet-valid"
  case wrongHost = "wrong-host"
  case unknownAuthority = "unknown-authority"
  /// The server says itself that its certificate is revoked.
  case revoked
  /// The certificate is good and has another key, which an app notices that has pinned the first.
  case changedKey = "changed-key"
  /// The connection is reset in the handshake.
  case cut
  case slow
}
