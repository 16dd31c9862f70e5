import Base
import Database
import Store

/// Consecutive jobs of a group that are executed together.
final class JobSet {
  typealias Failure = PostgresConnection.Failure

  private let group: PostgresGroup
  private let range: Range<Int>
  private let devices = LockedDevices()
  private let tokens = TokenRows()
  private let commands: CommandRows
  private let points: PointRows
  private let quarantine = QuarantineRows()
  private var presence = CommandRows.Presence()
  /// The number of the first record of each accepted ingest.
  private var firstPoints: [Int: Int] = [:]

  init(_ group: PostgresGroup, _ range: Range<Int>) {
    self.group = group
    self.range = range
    commands = CommandRows(devices, group.limits, now: group.now)
    points = PointRows(first: group.pointCount)
  }

  /// Reads and locks the rows that the jobs need.
  func load() throws(Failure) {
    for index in range { ask(for: group.jobs[index]) }
    try commands.loadOrders(group.round)
    try tokens.load(group.round)
    try devices.load(group.round)
    try commands.loadPresence(group.round) { [self] in presence = $0 }
    try group.round.flush()
  }

  private func ask(for job: StoreJob) {
    switch job {
    case .ingest(let batch):
      if let credential = batch.credential { tokens.add(credential) }
      devices.add(batch.device)
      commands.asksForTakes(of: batch.device, limit: batch.commandLimit)
      commands.awaitsProofs = true
    case .queue(let order): commands.asksForRoom(order)
    case .takeCommands(let device, let limit):
      devices.add(device)
      commands.asksForTakes(of: device, limit: limit)
    case .markDelivered(let device, let ids):
      devices.add(device)
      commands.marks += ids.map { (device, $0) }
    case .returnCommands(let device, let ids):
      devices.add(device)
      if let first = ids.min() { commands.returns.append((device, first)) }
    case .beginFamily: tokens.addFamily()
    case .rotate(let rotation): tokens.add(rotation)
    case .checkToken(_, let credential): tokens.add(credential)
    case .keepLog(let log): devices.add(log.device)
    case .setTags, .revokeTokens, .expireTokens, .delete, .clearQuarantine, .reset, .advance, .read:
      preconditionFailure("a job of an administrator is done alone")
    }
  }

  /// Executes the jobs; the last statements are only queued.
  func perform() throws(Failure) {
    try decideTokens()
    try enterDevices()
    try addRecords()
    try commands.load(group.round, presence)
    try group.round.flush()
    try decideCommands()
    try devices.write(group.round)
    try makeRoomInQuarantine()
    try commands.write(group.round)
    try tokens.write(group.round, now: group.now)
    group.pointCount += points.count
    group.doubts.taken += commands.taken
    group.doubts.rotations += tokens.rotations
    group.doubts.at = group.now
  }

  private func enterDevices() throws(Failure) {
    let count = devices.countWithoutNumber
    guard count > 0 else { return }
    var numbers: [Int64] = []
    try group.round.sendNumbers(of: "device_ids", count: count) { numbers = $0 }
    try group.round.flush()
    try devices.enter(group.round, numbers: numbers)
  }

  private func decideTokens() throws(Failure) {
    for index in range {
      switch group.jobs[index] {
      case .ingest(let batch):
        if let refusal = batch.credential.flatMap({ tokens.refusal(of: $0, for: batch.device) }) {
          group.results[index] = .refused(refusal)
        } else {
          devices.make(devices.place(of: batch.device), now: group.now)
          firstPoints[index] = 0
        }
      case .keepLog(let log): devices.make(devices.place(of: log.device), now: group.now)
      case .beginFamily(let family): group.results[index] = tokens.begin(family)
      case .rotate(let rotation): group.results[index] = tokens.rotate(rotation, now: group.now)
      case .checkToken(let device, let credential):
        group.results[index] = tokens.refusal(of: credential, for: device).map { .refused($0) } ?? .changed(0)
      default: break
      }
    }
  }

  private func addRecords() throws(Failure) {
    var logs: [(device: Int64, log: UploadedLog)] = []
    for index in range {
      switch group.jobs[index] {
      case .ingest(let batch):
        guard firstPoints[index] != nil else { continue }
        let id = number(of: batch.device)
        firstPoints[index] = points.add(batch, device: id)
        quarantine.add(batch, device: id)
      case .keepLog(let log):
        logs.append((number(of: log.device), log))
        group.results[index] = .changed(1)
      default: break
      }
    }
    try points.write(group.round, arrival: group.arrival)
    try quarantine.write(group.round)
    try keep(logs)
  }

  private func number(of device: DeviceIdentity) -> Int64 {
    guard let id = devices[devices.place(of: device)].id else { preconditionFailure("the device was entered") }
    return id
  }

  private func keep(_ logs: [(device: Int64, log: UploadedLog)]) throws(Failure) {
    guard !logs.isEmpty else { return }
    var arguments = PostgresArguments()
    arguments.add(integers: logs, of: { $0.device })
    arguments.add(integers: logs, of: { $0.log.receivedAt.millisecondsSince1970 })
    arguments.add(texts: logs, of: { $0.log.fileName })
    arguments.add(blobs: logs, of: { $0.log.bytes })
    try group.round.send(
      """
      INSERT INTO logs(device, received, name, bytes)
      SELECT * FROM unnest($1::int8[], $2::int8[], $3::text[], $4::bytea[])
      """, arguments)
    var kept = PostgresArguments()
    kept.add(integers: logs, of: { $0.device })
    kept.add(Int64(group.limits.logsPerDevice))
    try group.round.send(
      """
      DELETE FROM logs USING (
        SELECT id, row_number() OVER (PARTITION BY device ORDER BY id DESC) AS place FROM logs
        WHERE device = ANY($1::int8[])) AS numbered
      WHERE logs.id = numbered.id AND place > $2::int8
      """, kept)
  }

  private func decideCommands() throws(Failure) {
    for index in range {
      switch group.jobs[index] {
      case .ingest(let batch):
        if let first = firstPoints[index] { group.results[index] = .ingested(receipt(of: batch, first: first)) }
      case .queue(let order): group.results[index] = commands.add(order)
      case .takeCommands(let device, let limit):
        let place = devices.place(of: device)
        if devices[place].id == nil, limit > 0, commands.mayHave(place) {
          devices.make(place, now: group.now)
          try enterDevices()
        }
        group.results[index] = .commands(commands.take(place, limit: limit))
      case .markDelivered(let device, let ids):
        group.results[index] = .changed(commands.markDelivered(ids, of: devices.place(of: device)))
      case .returnCommands(let device, let ids):
        group.results[index] = .changed(commands.takeBack(ids, of: devices.place(of: device)))
      default: break
      }
    }
  }

  /// Each device has a limit of its own, so that one that sends nothing valid takes no room from others.
  private func makeRoomInQuarantine() throws(Failure) {
    let crowded = devices.all.filter {
      group.limits.looksThroughQuarantine(behind: $0.quarantinedBefore, adding: Int($0.quarantined))
    }
    guard !crowded.isEmpty else { return }
    var arguments = PostgresArguments()
    arguments.add(integers: crowded, of: { $0.id })
    arguments.add(Int64(group.limits.quarantinePerDevice))
    try group.round.send(
      """
      DELETE FROM quarantine USING (
        SELECT crowded.device, last.id FROM unnest($1::int8[]) AS crowded(device) CROSS JOIN LATERAL (
          SELECT id FROM quarantine WHERE quarantine.device = crowded.device ORDER BY id DESC OFFSET $2::int8 LIMIT 1
        ) AS last) AS ended
      WHERE quarantine.device = ended.device AND quarantine.id <= ended.id
      """, arguments
    ) { [group] result in group.evictedFromQuarantine += result.changes }
  }

  private func receipt(of batch: IngestBatch, first: Int) -> IngestReceipt {
    var receipt = IngestReceipt()
    let place = devices.place(of: batch.device)
    for (offset, point) in batch.points.enumerated() {
      guard points.isNew(first + offset) else {
        receipt.duplicate += 1
        continue
      }
      receipt.accepted += 1
      // An impossible time says nothing about where the device is now.
      if !group.isOdd(point) { devices.offer(point, to: place) }
    }
    let id = number(of: batch.device)
    for item in batch.quarantined {
      if quarantine.takeNew(item, device: id) { receipt.quarantined += 1 } else { receipt.duplicate += 1 }
    }
    devices.change(place) {
      $0.lastSeen = max($0.lastSeen, batch.receivedAt.millisecondsSince1970)
      $0.points += Int64(receipt.accepted)
      $0.duplicates += Int64(receipt.duplicate)
      $0.quarantined += Int64(receipt.quarantined)
    }
    receipt.confirmed = commands.confirm(by: batch.points, of: place)
    receipt.commands = commands.take(place, limit: batch.commandLimit)
    return receipt
  }
}
