import Base
internal import Contract

/// Checks of the target, the routes and the networks of a scenario, after each value was read.
extension DecodingContext {
  mutating func judgeTarget(_ scenario: Scenario) {
    judgeSecurity(scenario.target.security)
    judgeMode(scenario)
    judgeTokens(scenario)
    judgeVerification(scenario.target)
  }

  private mutating func judgeSecurity(_ security: TargetSecurity) {
    if security.key != nil, security.certificate == nil {
      inside("target.tls.clientKey") {
        $0.refuse(
          .missing, "a key without its certificate",
          remedy: "name the file of the certificate with clientCert (--client-cert)",
          reading: ["target.tls.clientCert"])
      }
    }
    if security.isUnchecked, security.authorities != nil {
      inside("target.tls.insecure") {
        $0.refuse(
          .contradiction, "insecure and ca cannot be used together", remedy: "remove one of them (--insecure, --ca)")
      }
    }
  }

  /// In virtual time the server is inside the process, and in other modes it must be somewhere.
  private mutating func judgeMode(_ scenario: Scenario) {
    let (mode, target) = (scenario.clock.mode, scenario.target)
    guard mode == .virtual else {
      let isNowhere =
        target.url == nil
        && scenario.fleets.contains { scenario.configuration(of: $0.value.traits).http.uploadURL == nil }
      if isNowhere {
        inside("target") {
          $0.refuse(
            .missing, "the mode \(mode.rawValue) needs a server",
            remedy: "add url here or http.url in sdk.config, or use mode virtual",
            reading: ["clock.mode", "sdk", "fleets"])
        }
      }
      return
    }
    func refuse(_ path: String, _ message: String, _ remedy: String) {
      inside(path) { $0.refuse(.contradiction, message, remedy: remedy, reading: ["clock.mode", "requests"]) }
    }
    if target.url != nil, scenario.requests.isEmpty {
      refuse(
        "target.url", "mode virtual always uses the built-in server",
        "use another mode to reach the url, or remove it")
    }
    if let preset = target.preset, preset != .rollingroad {
      refuse(
        "target.preset", "mode virtual always uses the built-in server",
        "use another mode, or the preset rollingroad")
    }
    if target.connections.policy == .pooled {
      refuse(
        "target.connections.policy", "in mode virtual each device has its own connections",
        "write \"mobile\", or use another mode")
    }
  }

  private mutating func judgeTokens(_ scenario: Scenario) {
    let authorization = scenario.target.authorization
    if authorization.identity != nil, authorization.strategy == .none {
      inside("target.auth.identity") {
        $0.refuse(
          .contradiction, "an identity provider without tokens", remedy: "add strategy: \"jwt\", or remove it",
          reading: ["target.auth.strategy"])
      }
    }
    guard scenario.clock.mode == .virtual, authorization.strategy == .jwt, authorization.identity == nil else { return }
    let known = [
      ("tokenUrl", authorization.tokenURL, ["/api/register", "/v2/register", "/api/jwt/register"]),
      ("refreshUrl", authorization.refreshURL, ["/api/refresh_token", "/v2/refresh_token"]),
    ]
    for (key, path, paths) in known where !paths.contains(path) {
      inside("target.auth.\(key)") {
        $0.refuse(
          .unknown, "the built-in server has no path '\(path)'",
          remedy: "write one of \(paths.joined(separator: ", "))",
          reading: ["clock.mode", "target.auth"])
      }
    }
  }

  private mutating func judgeVerification(_ target: Target) {
    inside("target.verify") { context in
      if let (message, remedy) = target.verification.contradiction {
        context.refuse(.contradiction, message, remedy: remedy)
      } else if target.preset != .rollingroad, target.verification.effectiveMethod == .query,
        let url = target.verification.url, !url.contains("{device}")
      {
        context.inside("url") {
          $0.refuse(
            .missing, "the URL does not ask for a device", remedy: "write {device} where its name belongs",
            reading: ["target.preset"])
        }
      }
      guard target.verification.next == nil else { return }
      for (key, url) in [("url", target.verification.url), ("quarantinedUrl", target.verification.quarantinedURL)] {
        guard let problem = TargetVerification.problemWithoutNext(of: url) else { continue }
        context.inside(key) {
          $0.refuse(.missing, problem.message, remedy: problem.remedy, reading: ["target.verify.next"])
        }
      }
    }
  }

  mutating func judgeRoutes(_ scenario: Scenario) {
    for route in scenario.routes {
      inside("routes.\(route.name.asPathStep)") { context in
        for problem in route.value.problems { context.refuse(problem) }
      }
    }
  }

  /// A network may change to links only: how long another changing network would last is unknown.
  mutating func judgeNetworks(_ scenario: Scenario) {
    for network in scenario.networks {
      guard case .changing(let changing) = network.value else { continue }
      inside("networks.\(network.name.asPathStep)") { context in
        context.inside("start") { context in
          context.judgeLink(changing.start, in: scenario)
          guard !changing.changes.contains(where: { $0.name == changing.start }) else { return }
          context.refuse(
            .contradiction, "'\(changing.start)' has no change to another link",
            remedy: "add \(changing.start.asPathStep) with its changes to markov",
            reading: ["networks.\(network.name.asPathStep)"])
        }
        for state in changing.changes {
          context.inside("markov.\(state.name.asPathStep)") { context in
            context.judgeLink(state.name, in: scenario)
            for change in state.value where change.name == state.name {
              context.inside(change.name.asPathStep) {
                $0.refuse(.contradiction, "a link cannot change to itself", remedy: "remove it")
              }
            }
          }
        }
      }
    }
  }

  private mutating func judgeLink(_ name: String, in scenario: Scenario) {
    guard case .changing? = scenario.network(named: name) else { return }
    refuse(
      .contradiction, "'\(name)' is a changing network", remedy: "name a link that does not change",
      reading: ["networks.\(name.asPathStep)"])
  }
}
