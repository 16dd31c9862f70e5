import Base
import Contract
import JSON
import Store

extension ServerContext {
  /// The request that comes next meets this, whatever the rules say, or with nil no more than they say. For whoever shows
  /// one request at a time.
  package func spoilNext(_ fault: ServerFault?) { faults.direct(fault) }

  /// The fault that meets this request now, counted.
  func fault(for exchange: Exchange, beforeBody: Bool) -> AppliedFault? {
    guard !faults.isEmpty, let operation = exchange.route.deviceOperation else { return nil }
    let device = DeviceIdentity(run: exchange.run, name: exchange.device)
    let applied = faults.decide(
      FaultRequest(
        operation: operation, run: device.run, device: device.name,
        tags: faults.asksForTags ? hub.tags.tags(of: device) : [], at: exchange.receivedAt),
      beforeBody: beforeBody)
    guard let applied else { return nil }
    metrics.spoilt(applied.fault.kind)
    if hub.isListening {
      hub.publish(.fault(applied, operation, device))
    }
    return applied
  }

  private static let everyRun = "*"
  private static let namesNoRun = QueryParameters.refuse(
    "run", "takes one run here; a rule for all of them is set without it and has \"run\": \"*\" in its match")

  /// The rules of the request's run are replaced as a whole; the answer is the new list.
  func putFaults(_ exchange: Exchange) throws(ResponseError) -> Reply {
    guard exchange.run != Self.everyRun else { throw Self.namesNoRun }
    let rules: [FaultRule]
    do {
      let body = try JSONValue(parsing: exchange.body.span)
      rules = try FaultRule.list(body, owner: exchange.run)
    } catch {
      return .answer(.error(400, "bad_faults", "\(error)"))
    }
    faults.replace(rules, of: exchange.run)
    return listFaults(exchange)
  }

  func deleteFaults(_ exchange: Exchange) throws(ResponseError) -> Reply {
    guard exchange.run != Self.everyRun else { throw Self.namesNoRun }
    faults.replace([], of: exchange.run)
    return listFaults(exchange)
  }

  /// The rules as they were set, each with the `run` in which that was, how many requests `matched` and how many it met
  /// (`hits`). `run=*` lists those of all runs.
  func listFaults(_ exchange: Exchange) -> Reply {
    let entries = faults.entries(of: exchange.run == Self.everyRun ? nil : exchange.run)
    return .answer(
      .json { writer in
        writer.beginObject()
        writer.key("faults")
        writer.beginArray()
        for entry in entries { writer.append(entry) }
        writer.endArray()
        writer.endObject()
      })
  }
}

extension JSONWriter {
  fileprivate mutating func append(_ entry: FaultPlan.Entry) {
    beginObject()
    key("id")
    value(entry.rule.id)
    member("run", entry.rule.owner)
    key("fault")
    entry.rule.fault.append(to: &self)
    key("match")
    append(entry.rule.match)
    key("seed")
    value(entry.rule.seed)
    key("matched")
    value(entry.matched)
    key("hits")
    value(entry.hits)
    endObject()
  }

  private mutating func append(_ match: FaultRule.Match) {
    beginObject()
    if let device = match.device { member("device", device) }
    if match.run != "" { member("run", match.run ?? "*") }
    if let tag = match.tag { member("tag", tag) }
    if let operation = match.operation { member("operation", operation.rawValue) }
    key("share")
    value(match.share)
    if let count = match.count { member("count", count) }
    member("skip", match.skip)
    if let from = match.from { member("from", from) }
    if let to = match.to { member("to", to) }
    endObject()
  }
}

extension JSONWriter {
  mutating func member(_ name: StaticString, _ text: String) {
    key(name)
    value(text)
  }

  mutating func member(_ name: StaticString, _ number: Int) {
    key(name)
    value(number)
  }

  /// ISO 8601 with milliseconds.
  mutating func member(_ name: StaticString, _ instant: WallInstant) {
    key(name)
    value(instant.iso8601Text)
  }
}
