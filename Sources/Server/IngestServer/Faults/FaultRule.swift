import Base
import Contract
import JSON
import Network

/// A fault and the requests that it meets.
struct FaultRule: Equatable, Sendable {
  /// Which requests are meant. What is nil does not matter.
  struct Match: Equatable, Sendable {
    var device: String?
    /// Devices with this tag; requests of unknown devices have none.
    var tag: String?
    /// The run whose requests are meant; nil for every run.
    var run: String?
    var operation: DeviceOperation?
    /// Of a handshake: the host that the client asks for, or `*.` before the end of it.
    var host: String?
    /// Of a handshake: where the client is.
    var address: SocketAddress.Host?
    /// The part of the matching requests that the fault meets, 0 to 1.
    var share = 1.0
    /// The fault happens so many times and then no more.
    var count: Int?
    /// So many matching requests go through first.
    var skip = 0
    var from: WallInstant?
    var to: WallInstant?
  }

  let id: String
  let fault: ServerFault
  let match: Match
  /// The draws of the rule follow from it, from the rule's id and from the device alone.
  let seed: UInt64
  /// Otherwise it is kept for later, and meets nothing.
  let isEnabled: Bool
  /// The run in which the rule was set. Setting the rules of one run leaves those of the others.
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

  /// Names of hosts have no case (RFC 4343).
  fileprivate static func stands(_ pattern: String, for host: String?) -> Bool {
    guard let host = host?.lowercased() else { return false }
    return pattern.hasPrefix("*.") ? host.hasSuffix(pattern.dropFirst().lowercased()) : host == pattern.lowercased()
  }
}

/// What a rule looks at.
struct FaultRequest: Sendable {
  /// Nil for what a proxy passes on that is no operation of a device.
  let operation: DeviceOperation?
  let run: String
  /// Empty while it is not known.
  let device: String
  /// Those of the device; empty where no rule asks.
  var tags: [String] = []
  let at: WallInstant
}

/// A fault that meets one request.
struct AppliedFault: Equatable, Sendable {
  let rule: String
  let fault: ServerFault
  /// What was drawn for a fault that waits.
  let delay: Nanoseconds

  init(rule: String, fault: ServerFault, delay: Nanoseconds) {
    self.rule = rule
    self.fault = fault
    self.delay = delay
  }

  /// One of no rule, which waits its shortest time.
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
  /// Rules that one run may have.
  static let rulesMax = 1_000

  /// The body of PUT /admin/v1/faults: `{"faults":[{"id":…,"fault":{"kind":…},"match":{…},"seed":…,"enabled":…}]}`.
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

  /// Whether what the other has met counts for this one as well.
  func continues(_ other: FaultRule) -> Bool {
    id == other.id && owner == other.owner && fault == other.fault && match == other.match && seed == other.seed
  }
}

extension FaultRule.Match {
  /// A rule set within a run is about that run. Outside of runs it is about ordinary traffic, or about the run that it
  /// names, `*` for all.
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

  /// A handshake comes before there is a request: nothing but who connects, and to what name, is known.
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

  /// What every match may have.
  private mutating func take(_ fields: AdminFields) throws(FieldError) {
    share = try fields.share("share") ?? 1
    count = try fields.integer("count", in: 0...Int64(Int32.max)).map { Int($0) }
    // A rule that can meet nothing looks like a server that works.
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
