import Base
import Contract
import Engine
import IngestServer
import JSON
package import Scenario

extension RunSetup {
  /// Returns the parts of a scenario that cannot be simulated, those of its files included. The reader of scenarios reports
  /// them with all others, so that the scenario may lack what could not be read.
  package static func problems(of scenario: Scenario, files: RouteFiles) -> [ScenarioProblem] {
    let movements = MovementBuilder(scenario, files)
    return scenario.fleets.flatMap { movements.problems(of: $0.value.traits) } + RunSetup.problems(of: scenario)
  }

  /// Returns the problems that neither files nor the devices of fleets are needed for.
  static func problems(of scenario: Scenario) -> [ScenarioProblem] {
    scheduleProblems(of: scenario) + headerProblems(of: scenario) + methodProblems(of: scenario)
      + tokenProblems(of: scenario) + scenario.faults.flatMap { problems(of: $0) }
      + outsideProblems(of: scenario)
      + scenario.thresholds.compactMap { SampleFilter.problem($0.selector, in: scenario) }
  }

  private static func problems(of fault: Fault) -> [ScenarioProblem] {
    switch fault.action {
    case .remote(let remote):
      let most = ServerConfiguration().bodyBytesMax
      let longest = Administration.queue(remote.commands, for: "").map(\.body.utf8.count).max() ?? 0
      guard longest > most else { return [] }
      return [
        ScenarioProblem(
          .outOfRange, fault.path, "its commands have \(longest) bytes, and a server takes \(most)",
          remedy: "write shorter ones")
      ]
    case .http(let http):
      // The server decides which headers are valid.
      return (http.abort?.headers ?? []).compactMap { header in
        ServerFault.problem(of: NameValuePair(header.name, header.value)).map { problem in
          ScenarioProblem(
            .wrongType, "\(fault.path).abort.headers.\(header.name.asPathStep)",
            "'\(header.name)' cannot be a header of an answer", remedy: "it must be \(problem)")
        }
      }
    case .network, .toxic, .tls, .authorization, .storage, .device, .lifecycle: return []
    }
  }

  /// Returns the header fields that no request can have.
  private static func headerProblems(of scenario: Scenario) -> [ScenarioProblem] {
    var all = [
      ("target.headers", scenario.target.headers), ("target.verify.headers", scenario.target.verification.headers),
    ]
    for (index, output) in scenario.outputs.enumerated() {
      switch output {
      case .openTelemetry(let output): all.append(("outputs[\(index)].headers", output.headers))
      case .remoteWrite(let output): all.append(("outputs[\(index)].headers", output.headers))
      default: break
      }
    }
    for (index, request) in scenario.requests.enumerated() {
      all.append(("requests[\(index)].headers", request.headers))
    }
    return all.flatMap { place, headers in
      headers.compactMap { header in
        ServerFault.malformation(of: NameValuePair(header.name, header.value)).map { problem in
          ScenarioProblem(
            .wrongType, "\(place).\(header.name.asPathStep)", "'\(header.name)' cannot be a header of a request",
            remedy: "it must be \(problem)")
        }
      }
    }
  }

  /// A method has the letters of a header's name (RFC 9110 section 9.1).
  private static func methodProblems(of scenario: Scenario) -> [ScenarioProblem] {
    scenario.requests.enumerated().compactMap { index, request in
      guard ServerFault.malformation(of: NameValuePair(request.method, "")) != nil else { return nil }
      return ScenarioProblem(
        .wrongType, "requests[\(index)].method", "'\(request.method)' cannot be a method",
        remedy: "write one such as POST")
    }
  }

  /// Returns the tokens of apps that expire during the drives in virtual time: its server has not issued them, and does not
  /// renew them.
  private static func tokenProblems(of scenario: Scenario) -> [ScenarioProblem] {
    let clock = scenario.clock
    guard clock.mode == .virtual, scenario.target.authorization.strategy == .none else { return [] }
    return scenario.fleets.compactMap { fleet in
      let tokens = scenario.configuration(of: fleet.value.traits).authorization
      guard tokens.refreshUrl != nil, let expiry = TokenExpiry.instant(of: tokens.expires, setAt: clock.start),
        expiry.milliseconds(since: clock.start) < clock.duration.wholeMilliseconds
      else { return nil }
      return ScenarioProblem(
        scenario.path(of: ["authorization.expires"], in: fleet),
        "the server of virtual time does not know the tokens of the app, and cannot renew them when they expire",
        remedy:
          "remove expires, let that server issue tokens with target.auth: { strategy: \"jwt\" }, or name a --target",
        reading: ["clock", "target.auth", "sdk", "fleets"])
    }
  }

  /// A device ignores an entry of a schedule that it cannot parse (SDK §16.1.2), as one that a server sends; in the app's own
  /// configuration it is a mistake.
  private static func scheduleProblems(of scenario: Scenario) -> [ScenarioProblem] {
    scenario.writtenConfigurations.flatMap { path, document -> [ScenarioProblem] in
      let grouped = document[ConfigurationGroup.app.rawValue]?["schedule"]
      guard case .array(let entries)? = grouped ?? document["schedule"] else { return [] }
      let list = path + (grouped == nil ? ".schedule" : ".\(ConfigurationGroup.app.rawValue).schedule")
      return entries.enumerated().compactMap { index, entry -> ScenarioProblem? in
        guard case .string(let text) = entry else { return nil }
        do throws(ScheduleError) {
          _ = try ScheduleEntry(parsing: text)
          return nil
        } catch {
          return ScenarioProblem(
            .wrongType, "\(list)[\(index)]", "\"\(text)\" is wrong at column \(error.column)",
            remedy: error.expectation)
        }
      }
    }
  }
}

extension Scenario {
  /// The configurations in the text, with their paths.
  var writtenConfigurations: [(path: String, document: JSONValue)] {
    [("sdk.config", sdk.configuration.document)]
      + fleets.flatMap { fleet in
        let place = "fleets.\(fleet.name.asPathStep)"
        return [
          (place + ".sdk.config", fleet.value.traits.sdk.configuration.document),
          (place + ".config", fleet.value.traits.configuration.document),
        ]
      }
  }

  /// Returns the path of the first of these keys in the configuration of a fleet's app that overrides the others; that of the
  /// fleet when none has any.
  func path(of keys: [String], in fleet: Named<Fleet>) -> String {
    let place = "fleets.\(fleet.name.asPathStep)"
    for (path, document) in writtenConfigurations.reversed() where path == "sdk.config" || path.hasPrefix(place + ".") {
      for key in keys {
        let value = key.split(separator: ".").reduce(document as JSONValue?) { value, name in value?[String(name)] }
        if value != nil { return "\(path).\(key)" }
      }
    }
    return place
  }
}
