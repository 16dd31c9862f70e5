import Base
import Database
import Store

/// The commands for the devices of a set of jobs. The rules are documented in `CommandOutbox` and `ProofBook`; here they are
/// applied to rows that were read beforehand, while the devices are locked.
final class CommandRows {
  struct Order {
    let id: Int64
    let target: QueuedCommand.Target
    let expires: Int64
    let command: [UInt8]
    let proof: CommandProof?
    var key: String?
    var isOpen = true
  }

  struct Delivery {
    var state: Int64
    var sent: Int64
    var confirmed: Int64?
    var attempts: Int64
    var proven: Int64?
    var isChanged = false
  }

  struct Key: Hashable {
    let command: Int64
    let device: Int64
  }

  struct Awaited {
    let command: Int64
    let proof: CommandProof
    let sent: Int64
  }

  let devices: LockedDevices
  let limits: StoreLimits
  let now: Int64

  /// All orders read or added, by number.
  var orders: [Int64: Order] = [:]
  /// Orders for one device, by its place.
  var due: [Int: [Int64]] = [:]
  /// Orders for tags and for everyone, by id.
  var broadcasts: [Int64] = []
  /// The tags of devices that open orders name.
  var tags: [Int64: Set<ExactText>] = [:]
  var deliveries: [Key: Delivery] = [:]
  var proofs: [Int64: [Awaited]] = [:]
  /// The devices all of whose proofs are written again.
  var changedProofs: Set<Int64> = []
  var newOrders: [Int64] = []
  /// Orders of earlier groups that were opened or closed, or both.
  var turnedOrders: Set<Int64> = []

  // For orders to add.
  var wantedKeys: [QueuedCommand] = []
  var wantedTags: Set<ExactText> = []
  var addCount = 0
  var numbers: ArraySlice<Int64> = []
  var openKeys: [OpenKey: Int64] = [:]
  var openCount = 0
  var expiredCount = 0
  var closesExpired = false

  // Requirements of the jobs.
  var takeLimits: [Int: Int] = [:]
  var marks: [(identity: DeviceIdentity, id: Int64)] = []
  /// Lost answers: the commands sent after the first of theirs are loaded too.
  var returns: [(identity: DeviceIdentity, first: Int64)] = []
  var awaitsProofs = false

  /// The commands taken, to be given back when the answer to the commit is lost.
  private(set) var taken: [Key] = []

  struct OpenKey: Hashable {
    let target: QueuedCommand.Target
    let key: ExactText
  }

  init(_ devices: LockedDevices, _ limits: StoreLimits, now: Int64) {
    self.devices = devices
    self.limits = limits
    self.now = now
  }

  /// Requests at most `limit` commands for the device, which is already among the devices.
  func asksForTakes(of device: DeviceIdentity, limit: Int) {
    if limit > 0 { takeLimits[devices.place(of: device), default: 0] += limit }
  }

  /// Announces an order that will be added.
  func asksForRoom(_ order: QueuedCommand) {
    addCount += 1
    if order.deduplicationKey != nil { wantedKeys.append(order) }
    if case .tag(let tag, _) = order.target { wantedTags.insert(ExactText(tag)) }
  }

  func add(_ order: QueuedCommand) -> StoreResult {
    let openKey = order.deduplicationKey.map { OpenKey(target: order.target, key: ExactText($0)) }
    if let openKey, let id = openKeys[openKey] { return .queued(id: id, isNew: false) }
    if openCount >= limits.openOrders, !closesExpired {
      closesExpired = true
      openCount -= expiredCount
    }
    guard openCount < limits.openOrders else { return .tooManyCommands }
    guard let id = numbers.popFirst() else { preconditionFailure("each order that comes has a number") }
    orders[id] = Order(
      id: id, target: order.target, expires: order.expiresAt.millisecondsSince1970, command: order.command,
      proof: order.proof, key: order.deduplicationKey)
    newOrders.append(id)
    openCount += 1
    if order.expiresAt.millisecondsSince1970 > now {
      if let openKey { openKeys[openKey] = id }
      remember(id, order.target)
    }
    return .queued(id: id, isNew: true)
  }

  private func remember(_ id: Int64, _ target: QueuedCommand.Target) {
    switch target {
    case .device(let identity):
      if let place = devices.placeIfAsked(of: identity) { makeDue(id, at: place) }
    case .tag, .everyone: broadcasts.append(id)
    }
  }

  func makeDue(_ id: Int64, at place: Int) {
    var ids = due[place] ?? []
    guard !ids.contains(id) else { return }
    ids.insert(id, at: ids.firstIndex { $0 > id } ?? ids.count)
    due[place] = ids
  }

  /// Returns whether `take` could find anything for this device.
  func mayHave(_ place: Int) -> Bool {
    due[place] != nil
      || broadcasts.contains { id in
        id > devices[place].broadcastMark && devices[place].identity.run.isExactly(orders[id]?.target.run)
      }
  }

  /// Marks the device's due commands as sent and returns them, at most `limit`; the rest waits for the next call.
  func take(_ place: Int, limit: Int) -> [TakenCommand] {
    guard let device = devices[place].id, limit > 0 else { return [] }
    var found: [TakenCommand] = []
    var waiting = (due[place] ?? [])[...]
    var others = broadcasts.filter { $0 > devices[place].broadcastMark }[...]
    while found.count < limit {
      if let id = waiting.first, id < others.first ?? .max {
        waiting.removeFirst()
        send(id, to: device, into: &found)
        close(id)
      } else if let id = others.popFirst() {
        devices.change(place) { $0.broadcastMark = id }
        if let order = orders[id], reaches(order.target, place, device) { send(id, to: device, into: &found) }
      } else {
        break
      }
    }
    due[place] = waiting.isEmpty ? nil : Array(waiting)
    return found
  }

  private func reaches(_ target: QueuedCommand.Target, _ place: Int, _ device: Int64) -> Bool {
    switch target {
    case .device(let identity): identity == devices[place].identity
    case .everyone(let run): run.isExactly(devices[place].identity.run)
    case .tag(let tag, let run):
      run.isExactly(devices[place].identity.run) && tags[device]?.contains(ExactText(tag)) ?? false
    }
  }

  private func send(_ id: Int64, to device: Int64, into found: inout [TakenCommand]) {
    guard let order = orders[id], order.expires > now else { return }
    if let proof = order.proof {
      let kind = proof.columns.kind
      proofs[device, default: []].removeAll { $0.proof.columns.kind == kind }
      proofs[device, default: []].append(Awaited(command: id, proof: proof, sent: now))
      changedProofs.insert(device)
    }
    let key = Key(command: id, device: device)
    var delivery = deliveries[key] ?? Delivery(state: DeliveryState.sent, sent: now, attempts: 0)
    delivery.state = DeliveryState.sent
    delivery.sent = now
    delivery.attempts += 1
    delivery.isChanged = true
    deliveries[key] = delivery
    taken.append(key)
    found.append(TakenCommand(id: id, command: order.command))
  }

  /// Closes an order for one device after it was sent once; if its answer is lost, its delivery becomes due again.
  private func close(_ id: Int64) {
    guard var order = orders[id], order.isOpen, case .device = order.target else { return }
    order.isOpen = false
    if let key = order.key { openKeys[OpenKey(target: order.target, key: ExactText(key))] = nil }
    orders[id] = order
    openCount -= 1
    turnedOrders.insert(id)
  }

  private func reopen(_ id: Int64) {
    guard var order = orders[id], !order.isOpen, case .device = order.target else { return }
    order.isOpen = true
    if let key = order.key { openKeys[OpenKey(target: order.target, key: ExactText(key)), default: id] = id }
    orders[id] = order
    openCount += 1
    turnedOrders.insert(id)
  }
}

extension CommandRows {
  /// The device has read the answer.
  func markDelivered(_ ids: [Int64], of place: Int) -> Int {
    change(ids, of: place) { delivery in
      delivery.state = DeliveryState.delivered
      delivery.confirmed = now
    }.count
  }

  /// Called when an answer did not reach the device: its commands are due again, and their keys are open; so are all commands
  /// sent to the device after them.
  func takeBack(_ ids: [Int64], of place: Int) -> Int {
    let lost = change(ids, of: place) { $0.state = DeliveryState.due }
    guard let first = lost.map(\.command).min() else { return 0 }
    let later = deliveries.keys.filter { key in
      key.device == devices[place].id && key.command > first && deliveries[key]?.state != DeliveryState.due
        && orders[key.command].map { $0.expires > now } ?? false
    }.sorted { $0.command < $1.command }
    for key in lost + later {
      deliveries[key]?.state = DeliveryState.due
      deliveries[key]?.confirmed = nil
      deliveries[key]?.proven = nil
      deliveries[key]?.isChanged = true
      makeDue(key.command, at: place)
      reopen(key.command)
      drop(key)
    }
    return lost.count + later.count
  }

  /// Changes deliveries that are sent and not confirmed.
  private func change(_ ids: [Int64], of place: Int, _ body: (inout Delivery) -> Void) -> [Key] {
    guard let device = devices[place].id else { return [] }
    var changed: [Key] = []
    for id in ids {
      let key = Key(command: id, device: device)
      guard var delivery = deliveries[key], delivery.state == DeliveryState.sent else { continue }
      body(&delivery)
      delivery.isChanged = true
      deliveries[key] = delivery
      changed.append(key)
    }
    return changed
  }

  /// Called when the command did not reach the device, or was confirmed.
  private func drop(_ key: Key) {
    guard proofs[key.device]?.contains(where: { $0.command == key.command }) ?? false else { return }
    proofs[key.device]?.removeAll { $0.command == key.command }
    changedProofs.insert(key.device)
  }

  /// Returns the commands whose effect these records of the device show: records made after they were sent, by the device's
  /// clock.
  func confirm(by points: [Point], of place: Int) -> [Int64] {
    guard let device = devices[place].id, let awaited = proofs[device] else { return [] }
    let proven = awaited.filter { entry in
      points.contains { $0.recordedAt >= entry.sent && entry.proof.holds(of: $0) }
    }.map(\.command)
    for id in proven {
      let key = Key(command: id, device: device)
      if var delivery = deliveries[key],
        delivery.state == DeliveryState.sent || delivery.state == DeliveryState.delivered
      {
        delivery.state = DeliveryState.confirmed
        delivery.proven = now
        delivery.confirmed = delivery.confirmed ?? now
        delivery.isChanged = true
        deliveries[key] = delivery
      }
      drop(key)
    }
    return proven
  }
}

extension QueuedCommand.Target {
  var run: String { columns.run }
}
