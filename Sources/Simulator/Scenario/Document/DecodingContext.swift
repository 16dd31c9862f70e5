import Base
internal import Contract

/// The state of reading a scenario: the current path, and all problems so far.
struct DecodingContext {
  private(set) var problems: [ScenarioError] = []
  /// Notes on values that are valid, but may not mean what the author intends.
  private(set) var notes: [ScenarioError] = []
  private(set) var path = ""
  /// Names that other sections may refer to.
  let names: DeclaredNames
  /// Tags that an outer choice among variants has already read, for the next section.
  var readTags: [String] = []

  init(names: DeclaredNames) { self.names = names }

  /// Runs `body` inside a step of the path, which is `name` or `[0]`.
  mutating func inside<Result>(_ step: String, _ body: (inout DecodingContext) -> Result) -> Result {
    let outer = path
    path = step.hasPrefix("[") || path.isEmpty ? path + step : "\(path).\(step)"
    defer { path = outer }
    return body(&self)
  }

  mutating func refuse(
    _ kind: ScenarioError.Kind, _ position: SourcePosition, _ message: String, remedy: String
  ) {
    problems.append(ScenarioError(kind, at: position, path: path, message, remedy: remedy))
  }

  mutating func refuse(_ problem: ScenarioError) { problems.append(problem) }

  mutating func note(_ position: SourcePosition, _ message: String, remedy: String) {
    notes.append(ScenarioError(.contradiction, at: position, path: path, message, remedy: remedy))
  }

  /// Rejects a value of the wrong type.
  mutating func refuse(_ value: JSON5Value, expected: String) {
    refuse(.wrongType, value.position, "\(value.summary) is not allowed here", remedy: "write \(expected)")
  }

  /// Rejects an unknown word.
  mutating func refuse(
    _ kind: ScenarioError.Kind, _ position: SourcePosition, word: String, as what: String,
    known: [String]
  ) {
    let near = NearestName.find(word, in: known).map { "did you mean '\($0)'?" }
    let list = known.isEmpty ? "there is none" : "there is: \(known.joined(separator: ", "))"
    refuse(kind, position, "no \(what) '\(word)'", remedy: near ?? list)
  }
}

extension JSON5Value {
  /// Small values literally, large ones by their kind.
  fileprivate var summary: String {
    switch content {
    case .null: return "null"
    case .bool(let flag): return "\(flag)"
    case .integer(let number): return "\(number)"
    case .double(let number): return number.short
    case .string(let text): return text.unicodeScalars.count <= 60 ? "\"\(text)\"" : "this text"
    case .array, .object: return kindName
    }
  }
}

/// Checks of conditions on several sections.
extension DecodingContext {
  mutating func judge(_ scenario: Scenario, _ document: JSON5Value) {
    judgeFleets(scenario, document)
    judgeTarget(scenario, document)
    judgeFaults(scenario)
    judgeActs(scenario, document)
    judgeOutputs(scenario.outputs, document)
    if scenario.clock.duration <= .zero {
      inside("clock.duration") {
        $0.refuse(
          .outOfRange, document["clock"]?["duration"]?.position ?? document.position, "the duration of the run is 0",
          remedy: "write at least \"1s\"")
      }
    }
    judgeDates(scenario, document)
    for name in document["motion"]?.memberNames ?? [] where name.isEmpty {
      inside("motion") { $0.refuse(.outOfRange, document.position, "an empty name", remedy: "give it a name") }
    }
  }

  /// The clock of the run, and those of phones with all offsets that faults add.
  private mutating func judgeDates(_ scenario: Scenario, _ document: JSON5Value) {
    let clock = scenario.clock
    // In seconds since 1970: no number of offsets is out of the range of a double.
    var earliest = Double(clock.start.millisecondsSince1970) / 1_000
    var latest = earliest + (clock.duration + clock.settle).seconds
    for case .device(let device) in scenario.faults.map(\.action) {
      let offset = device.clockOffset?.seconds ?? 0
      earliest += min(offset, 0)
      latest += max(offset, 0)
    }
    let dates = (Clock.dates.lowerBound.millisecondsSince1970, Clock.dates.upperBound.millisecondsSince1970)
    guard earliest * 1_000 < Double(dates.0) || latest * 1_000 > Double(dates.1) else { return }
    let section = document["clock"]
    inside("clock.start") {
      $0.refuse(
        .outOfRange, section?["start"]?.position ?? section?.position ?? document.position,
        "clocks of the run would leave the years 0101 to 9899",
        remedy: "write another date, a shorter duration, or smaller values of clockOffset")
    }
  }

  private mutating func judgeFleets(_ scenario: Scenario, _ document: JSON5Value) {
    if scenario.fleets.isEmpty, scenario.requests.isEmpty {
      inside("fleets") {
        $0.refuse(
          .missing, document["fleets"]?.position ?? document.position, "there is no fleet",
          remedy: "add one: phones: { devices: 25 }")
      }
    }
    for fleet in scenario.fleets {
      judgeName(of: fleet, scenario)
      judgeMembers(of: fleet, scenario)
      judgeTags(of: fleet)
    }
    for fleet in scenario.fleets where fleet.value.traits.startTime >= scenario.clock.duration {
      inside("fleets.\(fleet.name.asPathStep).startTime") {
        $0.refuse(
          .contradiction, fleet.position, "the fleet starts after the end of the run",
          remedy: "make clock.duration longer or startTime shorter")
      }
    }
  }

  /// Devices are named after their fleet and their number. Servers take names of up to 255 bytes, and a header field takes no
  /// control character.
  private mutating func judgeName(of fleet: Named<Fleet>, _ scenario: Scenario) {
    let longest = "\(fleet.name)-\(max(0, scenario.places(of: fleet) - 1))".utf8.count
    guard longest > 255 || fleet.name.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { return }
    inside("fleets.\(fleet.name.asPathStep)") {
      $0.refuse(
        .outOfRange, fleet.position,
        longest > 255 ? "a device's name would have \(longest) bytes" : "a name with a control character",
        remedy: "devices are named FLEET-NUMBER: use at most 255 bytes in all, without control characters")
    }
  }

  private mutating func judgeTags(of fleet: Named<Fleet>) {
    for tag in fleet.value.traits.tags where Metric.tags.contains(tag.name) {
      inside("fleets.\(fleet.name.asPathStep).tags.\(tag.name.asPathStep)") {
        $0.refuse(
          .contradiction, tag.position, "every metric has a tag '\(tag.name)' already", remedy: "give it another name")
      }
    }
  }

  private mutating func judgeMembers(of fleet: Named<Fleet>, _ scenario: Scenario) {
    let members = fleet.value.traits.members ?? []
    inside("fleets.\(fleet.name.asPathStep).members") { context in
      for (member, next) in zip(members, members.dropFirst()) where member >= next {
        context.refuse(
          .contradiction, fleet.position, "\(next) follows \(member)",
          remedy: "write each number once, in ascending order")
      }
      let count = scenario.places(of: fleet)
      if let last = members.last, last >= count {
        context.refuse(
          .outOfRange, fleet.position, "there is no device \(last) among \(count)",
          remedy: "write numbers from 0 to \(max(0, count - 1))")
      }
    }
  }

  private mutating func judgeSecurity(_ security: TargetSecurity, _ document: JSON5Value) {
    let section = document["target"]?["tls"]
    func position(of key: String) -> SourcePosition { section?[key]?.position ?? document.position }
    if security.key != nil, security.certificate == nil {
      inside("target.tls.clientKey") {
        $0.refuse(
          .missing, position(of: "clientKey"), "a key without its certificate",
          remedy: "name the file of the certificate with clientCert (--client-cert)")
      }
    }
    if security.isUnchecked, security.authorities != nil {
      inside("target.tls.insecure") {
        $0.refuse(
          .contradiction, position(of: "insecure"), "insecure and ca exclude each other",
          remedy: "remove one of both (--insecure, --ca)")
      }
    }
  }

  private mutating func judgeTarget(_ scenario: Scenario, _ document: JSON5Value) {
    judgeSecurity(scenario.target.security, document)
    let position = document["target"]?.position ?? document["clock"]?.position ?? document.position
    inside("target") { context in
      let isNowhere =
        scenario.target.url == nil
        && scenario.fleets.contains { scenario.configuration(of: $0.value.traits).http.uploadURL == nil }
      if scenario.clock.mode != .virtual && isNowhere {
        context.refuse(
          .missing, position, "the mode \(scenario.clock.mode.rawValue) needs a server",
          remedy: "add url here or http.url in sdk.config, or take the mode virtual")
      }
      if scenario.clock.mode == .virtual && scenario.target.url != nil && scenario.requests.isEmpty {
        context.note(
          document["target"]?["url"]?.position ?? position, "the mode virtual has its own server",
          remedy: "take another mode to reach the url")
      }
      if scenario.clock.mode == .virtual, let preset = scenario.target.preset, preset != .rollingroad {
        context.refuse(
          .contradiction, document["target"]?["preset"]?.position ?? position,
          "the mode virtual always uses the built-in server", remedy: "take another mode, or the preset rollingroad")
      }
    }
    judgeVerification(scenario.target, document)
  }

  private mutating func judgeVerification(_ target: Target, _ document: JSON5Value) {
    guard let section = document["target"]?["verify"] else { return }
    inside("target.verify") { context in
      if let (message, remedy) = target.verification.contradiction {
        context.refuse(.contradiction, section.position, message, remedy: remedy)
      } else if target.preset != .rollingroad, target.verification.effectiveMethod == .query,
        let url = target.verification.url, !url.contains("{device}")
      {
        context.inside("url") {
          $0.refuse(
            .missing, section["url"]?.position ?? section.position, "the URL does not ask for a device",
            remedy: "write {device} where its name belongs")
        }
      }
    }
  }

  private mutating func judgeFaults(_ scenario: Scenario) {
    var seen: [String] = []
    for (index, fault) in scenario.faults.enumerated() {
      inside("faults[\(index)]") { context in
        if seen.contains(fault.name) {
          context.refuse(
            .contradiction, fault.position, "a second fault '\(fault.name)'", remedy: "give it a name of its own")
        }
        if let start = fault.start, start >= scenario.clock.duration {
          context.refuse(
            .contradiction, fault.position, "it starts after the end of the run",
            remedy: "make clock.duration longer or 'at' earlier")
        }
        context.judgeOccurrences(of: fault, in: scenario)
      }
      seen.append(fault.name)
    }
  }

  private mutating func judgeActs(_ scenario: Scenario, _ document: JSON5Value) {
    let position = document["acts"]?.position ?? document.position
    for (index, act) in scenario.acts.enumerated() {
      inside("acts[\(index)]") { context in
        if act.start >= scenario.clock.duration {
          context.refuse(
            .contradiction, position, "it comes after the end of the run",
            remedy: "make clock.duration longer or 'at' earlier")
        }
        if index > 0, act.start < scenario.acts[index - 1].start {
          context.refuse(
            .contradiction, position, "it is earlier than the act before it",
            remedy: "list acts in the order of time")
        }
        if act.start <= .zero {
          context.refuse(.outOfRange, position, "it comes before the run", remedy: "write a time above 0")
        }
      }
    }
  }

  private mutating func judgeOccurrences(of fault: Fault, in scenario: Scenario) {
    for (index, occurrence) in (fault.occurrences ?? []).enumerated() {
      inside("occurrences[\(index)]") { context in
        if occurrence.start >= scenario.clock.duration {
          context.refuse(
            .contradiction, fault.position, "it starts after the end of the run",
            remedy: "make clock.duration longer or 'at' earlier")
        }
        let count = scenario.fleets.first { $0.name == occurrence.fleet }.map { scenario.places(of: $0) }
        if let count, occurrence.member >= count {
          context.refuse(
            .outOfRange, fault.position, "there is no device \(occurrence.member) among \(count)",
            remedy: "write a number from 0 to \(max(0, count - 1))")
        }
      }
    }
  }
}
