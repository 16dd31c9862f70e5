import Base
import Contract
import JSON

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
    guard isEnabled else { return false }
    if let device = match.device, device != request.device { return false }
    if let tag = match.tag, !request.tags.contains(tag) { return false }
    if let run = match.run, run != request.run { return false }
    if let operation = match.operation, operation != request.operation { return false }
    if let from = match.from, request.at < from { return false }
    if let to = match.to, request.at >= to { return false }
    return true
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
    case .delay(let range), .delayAfterCommit(let range): delay = .milliseconds(range.lowerBound)
    case .dribble(_, let pause): delay = .milliseconds(pause)
    default: delay = .zero
    }
  }
}

extension FaultRule {
  /// Rules that one run may have.
  static let rulesMax = 1_000

  /// The body of PUT /admin/v1/faults: `{"faults":[{"id":…,"fault":{"kind":…},"match":{…},"seed":…,"enabled":…}]}`.
  static func list(_ body: JSONValue, owner: String) throws(FieldError) -> [FaultRule] {
    let fields = try AdminFields(body, knows: ["faults"])
    guard case .array(let elements)? = fields.value("faults") else { throw FieldError("faults", .missing) }
    guard elements.count <= rulesMax else {
      throw FieldError("faults", .outOfRange(expected: "at most \(rulesMax) rules"))
    }
    var rules: [FaultRule] = []
    var ids: Set<String> = []
    for (index, element) in elements.enumerated() {
      let rule = try FaultRule(element, at: "faults[\(index)]", owner: owner)
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
    match = try Match(fields.value("match"), at: fields.place("match"), owner: owner)
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
    let keys = ["device", "tag", "run", "operation", "share", "count", "skip", "from", "to"]
    let fields = try AdminFields(value ?? .object([:]), at: path, knows: keys)
    device = try fields.text("device")
    tag = try fields.text("tag")
    let named = try fields.text("run")
    if !owner.isEmpty, let named, named != owner {
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
    share = try fields.share("share") ?? 1
    count = try fields.integer("count", in: 0...Int64(Int32.max)).map { Int($0) }
    skip = Int(try fields.integer("skip", in: 0...Int64(Int32.max)) ?? 0)
    from = try fields.time("from")
    to = try fields.time("to")
  }
}
