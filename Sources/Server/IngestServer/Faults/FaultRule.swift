import Base
import Contract
import JSON
import Network

/// A fault and the requests that it applies to.
struct FaultRule: Equatable, Sendable {
  /// Selects requests. A nil property matches everything.
  struct Match: Equatable, Sendable {
    var device: String?
    /// Devices with this tag; unknown devices have no tags.
    var tag: String?
    /// The run of the requests; nil for every run.
    var run: String?
    var operation: DeviceOperation?
    /// For handshakes: the host that the client requests, or `*.` followed by its end.
    var host: String?
    /// For handshakes: the address of the client.
    var address: SocketAddress.Host?
    /// The share of matching requests that get the fault, 0 to 1.
    var share = 1.0
    /// The maximum number of times that the fault is injected.
    var count: Int?
    /// The number of matching requests that pass first.
    var skip = 0
    var from: WallInstant?
    var to: WallInstant?
  }

  let id: String
  let fault: ServerFault
  let match: Match
  /// Draws depend only on this seed, the rule's id and the device.
  let seed: UInt64
  /// Whether the rule applies; a disabled one is only kept.
  let isEnabled: Bool
  /// The run in which the rule was set. Setting the rules of one run does not change those of others.
  let owner: String

  func concerns(_ request: FaultRequest) -> Bool {
    guard isEnabled, !fault.kind.isOfHandshake else { return false }
    if let device = match.device, !device.isExactly(request.device) { return false }
    if let tag = match.tag, !request.tags.contains(where: { $0.isExactly(tag) }) { return false }
    if let run = match.run, !run.isExactly(request.run) { return false }
    if let operation = match.operation, operation != request.operation { return false }
    if fault.kind.isOfRecords, request.operation != .uploadLocations { return false }
    return match.isTime(request.at)
  }

  func concerns(_ handshake: FaultHandshake) -> Bool {
    guard isEnabled, fault.kind.isOfHandshake else { return false }
    if let host = match.host, !FaultRule.Match.stands(host, for: handshake.host) { return false }
    if let address = match.address, address != handshake.address { return false }
    return match.isTime(handshake.at)
  }
}

extension FaultRule.Match {
  fileprivate func isTime(_ now: WallInstant) -> Bool { from.map { $0 <= now } ?? true && to.map { now < $0 } ?? true }

  /// Host names are case-insensitive (RFC 4343).
  fileprivate static func stands(_ pattern: String, for host: String?) -> Bool {
    guard let host = host?.lowercased() else { return false }
    return pattern.hasPrefix("*.") ? host.hasSuffix(pattern.dropFirst().lowercased()) : host == pattern.lowercased()
  }
}

/// The values of a request that rules examine.
struct FaultRequest: Sendable {
  /// The operation; nil for requests through a proxy that are not operations of a device.
  let operation: DeviceOperation?
  let run: String
  /// Empty while it is unknown.
  let device: String
  /// The tags of the device; empty when no rule needs them.
  var tags: [String] = []
  let at: WallInstant
}

/// A fault for one request.
struct AppliedFault: Equatable, Sendable {
  let rule: String
  let fault: ServerFault
  /// The delay drawn for a fault that waits.
  let delay: Nanoseconds

  init(rule: String, fault: ServerFault, delay: Nanoseconds) {
    self.rule = rule
    self.fault = fault
    self.delay = delay
  }

  /// A fault without a rule, with its shortest delay.
  init(planned fault: ServerFault) {
    rule = ""
    self.fault = fault
    switch fault {
    case .delay(let range), .delayAfterCommit(let range), .slowHandshake(let range):
      delay = .milliseconds(range.lowerBound)
    case .dribble(_, let pause): delay = .milliseconds(pause)
    default: delay = .zero
    }
  }
}

extension FaultRule {
  /// The maximum number of rules of one run.
  static let rulesMax = 1_000

  /// Reads the body of PUT /admin/v1/faults: `{"faults":[{"id":…,"fault":{"kind":…},"match":{…},"seed":…,"enabled":…}]}`.
  static func list(_ body: JSONValue, owner: String, _ reach: HandshakeFaultScope) throws(FieldError) -> [FaultRule] {
    let fields = try AdminFields(body, knows: ["faults"])
    guard case .array(let elements)? = fields.value("faults") else { throw FieldError("faults", .missing) }
    guard elements.count <= rulesMax else {
      throw FieldError("faults", .outOfRange(expected: "at most \(rulesMax) rules"))
    }
    var rules: [FaultRule] = []
    var ids: Set<String> = []
    for (index, element) in elements.enumerated() {
      let rule = try FaultRule(element, at: "faults[\(index)]", owner: owner)
      if let problem = reach.problem(of: rule.fault) {
        throw FieldError("faults[\(index)].fault.kind", .outOfRange(expected: problem))
      }
      guard ids.insert(rule.id).inserted else {
        throw FieldError("faults[\(index)].id", .outOfRange(expected: "unique"))
      }
      rules.append(rule)
    }
    return rules
  }

  private init(_ value: JSONValue, at path: String, owner: String) throws(FieldError) {
    let fields = try AdminFields(value, at: path, knows: ["id", "fault", "match", "seed", "enabled"])
    guard let id = try fields.text("id"), !id.isEmpty else { throw FieldError(fields.place("id"), .missing) }
    guard let fault = fields.value("fault") else { throw FieldError(fields.place("fault"), .missing) }
    self.id = id
    self.fault = try ServerFault(fault, at: fields.place("fault"))
    let matched = fields.value("match")
    match =
      self.fault.kind.isOfHandshake
      ? try Match(ofHandshakes: matched, at: fields.place("match"), owner: owner)
      : try Match(matched, at: fields.place("match"), owner: owner)
    if self.fault.kind.isOfRecords, let operation = match.operation, operation != .uploadLocations {
      throw FieldError(
        fields.place("match.operation"),
        .outOfRange(
          expected: "omitted, or uploadLocations: a fault of kind \"\(self.fault.kind.rawValue)\" is about records"))
    }
    seed = UInt64(try fields.integer("seed", in: 0...Int64.max) ?? 0)
    isEnabled = try fields.flag("enabled") ?? true
    self.owner = owner
  }

  /// Returns whether this rule keeps the counts of the other.
  func continues(_ other: FaultRule) -> Bool {
    id == other.id && owner == other.owner && fault == other.fault && match == other.match && seed == other.seed
  }
}

extension FaultRule.Match {
  /// A rule set within a run concerns that run. Otherwise it concerns ordinary traffic, or the run that it names, `*` for all.
  fileprivate init(_ value: JSONValue?, at path: String, owner: String) throws(FieldError) {
    let fields = try AdminFields(value ?? .object([:]), at: path, knows: FaultRule.Match.keys)
    for key in ["host", "address"] where fields.value(key) != nil {
      throw FieldError(fields.place(key), .outOfRange(expected: "omitted: \(FaultRule.Match.kindsOfHandshakes) only"))
    }
    device = try fields.text("device")
    tag = try fields.text("tag")
    let named = try fields.text("run")
    if !owner.isEmpty, let named, !named.isExactly(owner) {
      throw FieldError(fields.place("run"), .outOfRange(expected: "the run of the request, \(owner)"))
    }
    run = named == "*" ? nil : named ?? owner
    if let name = try fields.text("operation") {
      guard let known = DeviceOperation(rawValue: name) else {
        let names = DeviceOperation.allCases.map(\.rawValue).joined(separator: ", ")
        throw FieldError(fields.place("operation"), .outOfRange(expected: "one of \(names)"))
      }
      operation = known
    }
    try take(fields)
  }

  /// A handshake precedes any request: only the client's address and the requested host name are known.
  fileprivate init(ofHandshakes value: JSONValue?, at path: String, owner: String) throws(FieldError) {
    let fields = try AdminFields(value ?? .object([:]), at: path, knows: FaultRule.Match.keys)
    for key in ["device", "tag", "run", "operation"] where fields.value(key) != nil {
      throw FieldError(
        fields.place(key),
        .outOfRange(
          expected: "omitted: a handshake of TLS names none; match host (the name that the client asks for, as "
            + "phone-1.phones.test or *.phones.test) or address"))
    }
    guard owner.isEmpty else {
      throw FieldError(path, .outOfRange(expected: "set outside of runs: a TLS handshake belongs to no run"))
    }
    host = try fields.text("host")
    if let text = try fields.text("address") {
      guard let parsed = SocketAddress.host(parsing: text) else {
        throw FieldError(fields.place("address"), .outOfRange(expected: "an address, as 192.168.1.20 or fd00::9"))
      }
      address = parsed
    }
    try take(fields)
  }

  private static let keys = [
    "device", "tag", "run", "operation", "host", "address", "share", "count", "skip", "from", "to",
  ]
  private static let kindsOfHandshakes = ServerFault.Kind.allCases.filter(\.isOfHandshake).map(\.rawValue)
    .joined(separator: ", ")

  /// Reads the fields that every match may have.
  private mutating func take(_ fields: AdminFields) throws(FieldError) {
    share = try fields.share("share") ?? 1
    count = try fields.integer("count", in: 0...Int64(Int32.max)).map { Int($0) }
    // With a rule that never applies, the server would seem to work.
    if count == 0 {
      throw FieldError(
        fields.place("count"),
        .outOfRange(expected: "at least 1; to keep a rule that meets nothing, set its \"enabled\" to false"))
    }
    skip = Int(try fields.integer("skip", in: 0...Int64(Int32.max)) ?? 0)
    from = try fields.time("from")
    to = try fields.time("to")
    if let from, let to, from >= to {
      throw FieldError(
        fields.place("to"), .outOfRange(expected: "later than from, when the rule begins to apply"))
    }
  }
}
