import Base
import Contract
import JSON
import Network
import Store
import Synchronization
import TLS

/// Chooses the injected fault for each device request, and serves the fault rules.
struct FaultHandlers: Sendable {
  let board: FaultBoard
  let shared: SharedBoards
  let hub: EventHub
  let metrics: ServerMetrics
  let reach: HandshakeFaultScope

  /// Returns and counts the fault of this request: the planned one, which is consumed, or one of the rules.
  func fault(
    for exchange: Exchange, at stages: ServerFault.Stages, _ planned: inout ServerFault?
  ) -> AppliedFault? {
    guard planned != nil || !board.isEmpty, exchange.route.deviceOperation != nil else { return nil }
    guard let fault = planned, stages.contains(fault.kind.stage) else { return fault(for: exchange, at: stages) }
    planned = nil
    return tell(of: AppliedFault(planned: fault), exchange)
  }

  /// Decides by the rules, also for a request that is not an operation of a device.
  func fault(for exchange: Exchange, at stages: ServerFault.Stages) -> AppliedFault? {
    guard !board.isEmpty else { return nil }
    let device = DeviceIdentity(run: exchange.run, name: exchange.device)
    let request = FaultRequest(
      operation: exchange.route.deviceOperation, run: device.run, device: device.name,
      tags: board.asksForTags ? hub.tags.tags(of: device) : [], at: exchange.receivedAt)
    return board.decide(request, at: stages).map { tell(of: $0, exchange) }
  }

  private func tell(of applied: AppliedFault, _ exchange: Exchange) -> AppliedFault {
    metrics.faulted(applied.fault.kind)
    if hub.isListening {
      let device = DeviceIdentity(run: exchange.run, name: exchange.device)
      hub.publish(.fault(applied, exchange.route.deviceOperation, device))
    }
    return applied
  }

  private static let everyRun = "*"
  private static let namesNoRun = QueryParameters.refuse(
    "run", "must name one run; for a rule that applies to all runs, omit it and use \"run\": \"*\" in the match")

  private enum Counts: String, CaseIterable {
    case zero, keep
  }

  /// `PUT /admin/v1/faults?run&counts=zero|keep`: replaces all rules of the request's run and returns the new list. `keep`
  /// retains the counts of unchanged rules, whether or not they are enabled.
  func put(_ exchange: Exchange) throws(ResponseError) -> Reply {
    guard exchange.run != Self.everyRun else { throw Self.namesNoRun }
    let counts = try exchange.query.choice("counts", default: Counts.zero)
    let rules: [FaultRule]
    do {
      let body = try JSONValue(parsing: exchange.body.span)
      rules = try FaultRule.list(body, owner: exchange.run, reach)
    } catch {
      return .answer(.error(400, "bad_faults", "\(error)"))
    }
    return change(rules, exchange, exchange.body, keepsCounts: counts == .keep)
  }

  private func change(
    _ rules: [FaultRule], _ exchange: Exchange, _ document: [UInt8]?, keepsCounts: Bool = false
  ) -> Reply {
    let run = exchange.run
    return shared.put(document, .faults, of: run) {
      board.replace(rules, of: run, keepsCounts: keepsCounts)
      return list(of: run)
    }
  }

  func delete(_ exchange: Exchange) throws(ResponseError) -> Reply {
    guard exchange.run != Self.everyRun else { throw Self.namesNoRun }
    return change([], exchange, nil)
  }

  /// Lists the rules as they were set, each with the `run` in which it was set, the number of requests that `matched` and the
  /// number that got the fault (`hits`). `run=*` lists those of all runs.
  func list(_ exchange: Exchange) -> Reply { .answer(list(of: exchange.run)) }

  private func list(of run: String) -> Response {
    let entries = board.entries(of: run == Self.everyRun ? nil : run)
    return .json { writer in
      writer.beginObject()
      writer.list("faults", entries) { writer, entry in writer.append(entry) }
      writer.endObject()
    }
  }
}

extension FaultHandlers: HandshakeFaultSource {
  var hasHandshakeFaults: Bool { board.concernsHandshakes }

  func fault(host: String?, from peer: SocketAddress) -> HandshakeFault? {
    let handshake = FaultHandshake(host: host, address: peer.host, at: SystemClock().wallNow)
    guard let applied = board.decide(handshake) else { return nil }
    metrics.faulted(applied.fault.kind)
    switch applied.fault {
    case .certificate(let fault): return .certificate(fault)
    case .cutHandshake: return .cut
    case .slowHandshake: return .slow(applied.delay)
    default: preconditionFailure("\(applied.fault.kind) meets requests")
    }
  }
}

extension JSONWriter {
  fileprivate mutating func append(_ entry: FaultRuleSet.Entry) {
    beginObject()
    member("id", entry.rule.id)
    member("run", entry.rule.owner)
    key("fault")
    entry.rule.fault.append(to: &self)
    key("match")
    append(entry.rule.match, ofHandshakes: entry.rule.fault.kind.isOfHandshake)
    member("seed", entry.rule.seed)
    member("enabled", entry.rule.isEnabled)
    member("matched", entry.matched)
    member("hits", entry.hits)
    endObject()
  }

  private mutating func append(_ match: FaultRule.Match, ofHandshakes: Bool) {
    beginObject()
    if let host = match.host { member("host", host) }
    if let address = match.address { member("address", SocketAddress(host: address, port: 0).hostText) }
    if let device = match.device { member("device", device) }
    if !ofHandshakes, match.run != "" { member("run", match.run ?? "*") }
    if let tag = match.tag { member("tag", tag) }
    if let operation = match.operation { member("operation", operation.rawValue) }
    member("share", match.share)
    if let count = match.count { member("count", count) }
    member("skip", match.skip)
    if let from = match.from { member("from", from) }
    if let to = match.to { member("to", to) }
    endObject()
  }
}

/// The tags of the devices, in memory, because a fault is chosen as soon as a request head is complete. Filled
/// from the store before the first group, and updated with every commit that changes a tag.
final class DeviceTags: Sendable {
  /// Without the devices that have no tags.
  private let tags = Mutex<[DeviceIdentity: [String]]>([:])

  /// Loads the tags from the store when it is opened.
  func load(from reader: any StoreReader) throws(StoreError) {
    for (device, tag) in try reader.tags() {
      tags.withLock { $0[device, default: []].append(tag) }
    }
  }

  /// Loads the tags again and replaces the current ones.
  func reload(from reader: any StoreReader) throws(StoreError) {
    var found: [DeviceIdentity: [String]] = [:]
    for (device, tag) in try reader.tags() { found[device, default: []].append(tag) }
    tags.withLock { $0 = found }
  }

  func tags(of device: DeviceIdentity) -> [String] { tags.withLock { $0[device] ?? [] } }

  /// Called when a group was committed, on the writer's thread, in the order of the groups.
  func note(_ group: [StoreJob], _ results: [StoreResult]) {
    for (job, result) in zip(group, results) {
      switch job {
      case .setTags(let device, let list): if case .changed = result { set(list, device) }
      case .delete(let device): if case .changed = result { set([], device) }
      case .reset(let run): if case .changed = result { forget(run) }
      case .ingest, .queue, .takeCommands, .markDelivered, .returnCommands, .beginFamily, .rotate, .checkToken,
        .revokeTokens, .expireTokens, .keepLog, .clearQuarantine, .advance, .read:
        break
      }
    }
  }

  private func set(_ list: [String], _ device: DeviceIdentity) {
    tags.withLock { $0[device] = list.isEmpty ? nil : list }
  }

  private func forget(_ run: String?) {
    tags.withLock { tags in tags = tags.filter { run != nil && !$0.key.run.isExactly(run) } }
  }
}
