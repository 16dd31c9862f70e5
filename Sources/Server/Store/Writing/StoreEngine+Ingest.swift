import Base
import Database

extension StoreEngine {
  func ingest(_ batch: IngestBatch, now: Int64) throws(DatabaseError) -> StoreResult {
    if let credential = batch.credential, let refusal = try tokens.refusal(of: credential, for: batch.device) {
      return .refused(refusal)
    }
    var receipt = IngestReceipt()
    let place = try devices.makePlace(of: batch.device, now: now)
    try insertPoints(of: batch, place: place, now: now, into: &receipt)
    for item in batch.quarantined {
      let isNew = try quarantine(item, of: batch, device: devices.entries[place].id)
      if isNew { receipt.quarantined += 1 } else { receipt.duplicate += 1 }
    }
    devices.change(place) {
      $0.lastSeen = max($0.lastSeen, batch.receivedAt.millisecondsSince1970)
      $0.points += Int64(receipt.accepted)
      $0.duplicates += Int64(receipt.duplicate)
      $0.quarantined += Int64(receipt.quarantined)
    }
    receipt.confirmed = try outbox.confirm(by: batch.points, device: devices.entries[place].id, now: now)
    receipt.commands = try takeCommands(at: place, limit: batch.commandLimit, now: now)
    return .ingested(receipt)
  }

  private func insertPoints(
    of batch: IngestBatch, place: Int, now: Int64, into receipt: inout IngestReceipt
  ) throws(DatabaseError) {
    let device = devices.entries[place].id
    var current: PointPartition?
    var parameters: Int64?
    for point in batch.points {
      let partition = try partitions.partition(for: point.recordedAt, now: now)
      if partition !== current {
        current = partition
        parameters = try partitions.number(ofParameters: batch.parameters, in: partition)
      }
      var isNew = true
      if partition.isShadowed { isNew = try !partitions.oddHas(point, device: device) }
      if isNew {
        isNew = try partition.insert(point, of: batch, device: device, parameters: parameters, on: connection)
      }
      guard isNew else {
        receipt.duplicate += 1
        continue
      }
      receipt.accepted += 1
      // A time that cannot be says nothing about where the device is now.
      if partition.day == Day.odd {
        partitions.noteOdd(point.recordedAt)
      } else {
        devices.offer(point, to: place)
      }
    }
  }

  /// False when these bytes of this device are there already.
  private func quarantine(
    _ item: QuarantinedItem, of batch: IngestBatch, device: Int64
  ) throws(DatabaseError) -> Bool {
    try connection.with(
      """
      INSERT OR IGNORE INTO quarantine(device, identity, received, reason, detail, record)
      VALUES(?1, ?2, ?3, ?4, ?5, ?6)
      """
    ) { (statement: inout Statement) throws(DatabaseError) in
      let identity = item.identity.bytes
      var row = statement.start()
      row.bind(1, device)
      row.bind(2, blob: identity.span)
      row.bind(3, batch.receivedAt.millisecondsSince1970)
      row.bind(4, text: item.reason.utf8.span)
      row.bind(5, text: item.detail.utf8.span)
      row.bind(6, blob: batch.bytes.span.extracting(item.record))
      try row.run()
    }
    return connection.database.changes == 1
  }
}
