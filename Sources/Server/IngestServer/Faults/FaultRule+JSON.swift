import Contract
import JSON

extension FaultRule {
  /// Rules that one run may have.
  static let rulesMax = 1_000

  /// The body of PUT /admin/v1/faults: `{"faults":[{"id":…,"fault":{"kind":…},"match":{…},"seed":…}]}`.
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
        throw FieldError("faults[\(index)].id", .outOfRange(expected: "unique, for the draws follow from it"))
      }
      rules.append(rule)
    }
    return rules
  }

  private init(_ value: JSONValue, at path: String, owner: String) throws(FieldError) {
    let fields = try AdminFields(value, at: path, knows: ["id", "fault", "match", "seed"])
    guard let id = try fields.text("id"), !id.isEmpty else { throw FieldError(fields.place("id"), .missing) }
    guard let fault = fields.value("fault") else { throw FieldError(fields.place("fault"), .missing) }
    self.id = id
    self.fault = try ServerFault(fault, at: fields.place("fault"))
    match = try Match(fields.value("match"), at: fields.place("match"), owner: owner)
    seed = UInt64(try fields.integer("seed", in: 0...Int64.max) ?? 0)
    self.owner = owner
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

extension ServerFault {
  fileprivate init(_ value: JSONValue, at path: String) throws(FieldError) {
    let keys = ["kind", "status", "headers", "time", "from", "to", "bytes", "every", "records", "by", "location"]
    let fields = try AdminFields(value, at: path, knows: keys)
    let name = try fields.text("kind") ?? ""
    guard let kind = Kind(rawValue: name) else {
      let names = Kind.allCases.map(\.rawValue).joined(separator: ", ")
      throw FieldError(fields.place("kind"), .outOfRange(expected: "one of \(names)"))
    }
    // Read again, knowing which keys mean something for this kind.
    _ = try AdminFields(value, at: path, knows: ["kind"] + kind.parameters)
    let count = Int64(Int32.max)
    switch kind {
    case .refuse: self = .refuse(status: Int(try fields.integer("status", in: 200...599) ?? 503))
    case .reset: self = .reset
    case .delay: self = .delay(try ServerFault.delays(fields))
    case .status:
      self = .status(
        Int(try fields.integer("status", in: 200...599) ?? 500), try ServerFault.headers(fields))
    case .portal: self = .portal
    case .redirect:
      self = .redirect(
        status: Int(try fields.integer("status", in: 300...399) ?? 302),
        location: try ServerFault.location(fields))
    case .pretend: self = .pretend
    case .prefix: self = .prefix(records: Int(try fields.integer("records", in: 0...count) ?? 1))
    case .cut: self = .cut(bytes: Int(try fields.integer("bytes", in: 0...count) ?? 20))
    case .drop: self = .drop
    case .delayAfterCommit: self = .delayAfterCommit(try ServerFault.delays(fields))
    case .dribble:
      let pause = max(1, try fields.milliseconds("every") ?? 1_000)
      self = .dribble(bytes: Int(try fields.integer("bytes", in: 1...count) ?? 1), every: pause)
    case .malformed: self = .malformed
    case .wrongLength: self = .wrongLength(by: Int(try fields.integer("by", in: -65_536...65_536) ?? 10))
    case .empty: self = .empty
    }
  }

  private static func headers(_ fields: AdminFields) throws(FieldError) -> [NameValuePair] {
    guard let value = fields.value("headers") else { return [] }
    guard case .object(let object) = value else {
      throw FieldError(fields.place("headers"), .outOfRange(expected: "an object of texts"))
    }
    var headers: [NameValuePair] = []
    for member in object.members {
      let place = "\(fields.place("headers")).\(member.key)"
      guard case .string(let text) = member.value else {
        throw FieldError(place, .outOfRange(expected: "a string"))
      }
      let field = NameValuePair(member.key, text)
      guard isField(field) else {
        throw FieldError(place, .outOfRange(expected: "a header that the server does not write itself"))
      }
      headers.append(field)
    }
    return headers
  }

  /// `time` is fixed; `from` and `to` are a range to draw from.
  private static func delays(_ fields: AdminFields) throws(FieldError) -> ClosedRange<Int64> {
    if let fixed = try fields.milliseconds("time") { return fixed...fixed }
    guard let from = try fields.milliseconds("from"), let to = try fields.milliseconds("to") else {
      throw FieldError(fields.place("time"), .missing)
    }
    guard from <= to else { throw FieldError(fields.place("to"), .outOfRange(expected: "no shorter than from")) }
    return from...to
  }

  private static func location(_ fields: AdminFields) throws(FieldError) -> String {
    let location = try fields.text("location") ?? "http://localhost/login"
    guard location.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw FieldError(fields.place("location"), .outOfRange(expected: "a URL"))
    }
    return location
  }
}

extension ServerFault.Kind {
  /// The keys that mean something beside `kind`.
  var parameters: [String] {
    switch self {
    case .refuse: ["status"]
    case .status: ["status", "headers"]
    case .delay, .delayAfterCommit: ["time", "from", "to"]
    case .redirect: ["status", "location"]
    case .prefix: ["records"]
    case .cut: ["bytes"]
    case .dribble: ["bytes", "every"]
    case .wrongLength: ["by"]
    case .reset, .portal, .pretend, .drop, .malformed, .empty: []
    }
  }
}
