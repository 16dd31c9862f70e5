package import Base

/// A fault of TLS handshakes, as in a network with an intercepting proxy.
package struct TLSFault: Equatable, Sendable {
  package var problem = TLSProblem.unknownAuthority
  /// The delay of a slow handshake.
  package var delay: Nanoseconds?

  package init() {}

  /// The effective delay of a slow handshake.
  package var wait: Nanoseconds { delay ?? .seconds(5) }
}

extension TLSFault: ScenarioSection, FaultKind {
  static let key = "tls"

  var span: FaultSpan { .state }
  /// `problem` is required.
  var isEmpty: Bool { false }

  func problems(in scenario: Scenario) -> [ScenarioProblem] {
    var problems: [ScenarioProblem] = []
    if delay != nil, problem != .slow {
      problems.append(ScenarioProblem("delay", "only a slow handshake has a delay", remedy: "remove it"))
    }
    if problem == .changedKey, scenario.target.security.pinnedKey == nil {
      problems.append(
        ScenarioProblem(
          "problem", "only an app that pins the server's key notices another one",
          remedy: "add target: { tls: { pinnedKey: \"sha256//…\" } }", reading: ["target.tls"]))
    }
    return problems
  }

  /// Returns examples without a changed key, because only an app that pins one detects it.
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

/// The defect of a handshake.
package enum TLSProblem: String, CaseIterable, Sendable {
  case expired
  case notYetValid = "not-yet-valid"
  case wrongHost = "wrong-host"
  case unknownAuthority = "unknown-authority"
  /// The server itself reports that its certificate is revoked.
  case revoked
  /// The certificate is valid and has another key, which only an app with a pinned key detects.
  case changedKey = "changed-key"
  /// The connection is reset during the handshake.
  case cut
  case slow
}
