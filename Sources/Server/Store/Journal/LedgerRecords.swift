package import Base
import Database

/// One transmission of a record through a proxy, and its outcome.
package struct LedgerRecord: Equatable, Sendable {
  package var uuid: UUID128
  package var device: DeviceIdentity
  /// When the request was received, in milliseconds since 1970.
  package var at: Int64
  /// When the exchange ended.
  package var answeredAt: Int64
  /// The status of the backend's answer; 0 for none.
  package var status: Int
  /// Whether the client got a complete 2xx answer: it does not send the record again.
  package var isDelivered: Bool
  /// The kind of the injected fault.
  package var fault: String?

  package init(
    uuid: UUID128, device: DeviceIdentity, at: Int64, answeredAt: Int64, status: Int, isDelivered: Bool,
    fault: String? = nil
  ) {
    self.uuid = uuid
    self.device = device
    self.at = at
    self.answeredAt = answeredAt
    self.status = status
    self.isDelivered = isDelivered
    self.fault = fault
  }

  var isAcknowledged: Bool { 200..<300 ~= status }
  var byteCount: Int { 128 + device.run.utf8.count + device.name.utf8.count }
}

/// The state of a record over all its uploads.
package struct LedgerAccount: Equatable, Sendable {
  /// Ordered by progress.
  package enum State: String, CaseIterable, Sendable {
    /// No answer of the backend was seen.
    case unanswered
    /// The backend has answered, but never with a success.
    case refused
    /// The backend has acknowledged it, but no acknowledgement reached the client, which sends it again.
    case undelivered
    case acknowledged
  }

  package var uuid: UUID128
  package var device: DeviceIdentity
  package var firstAt: Int64
  package var lastAt: Int64
  package var attempts: Int
  /// The time of the backend's first acknowledgement.
  package var acknowledgedAt: Int64?
  package var acknowledgements: Int
  /// The acknowledgements that reached the client.
  package var deliveries: Int
  /// The status of the last answer; 0 for none.
  package var status: Int
  /// The last injected fault.
  package var fault: String?

  package var state: State {
    if acknowledgements > 0 { return deliveries > 0 ? .acknowledged : .undelivered }
    return status == 0 ? .unanswered : .refused
  }
}

/// Selects records of the ledger. A nil property matches everything.
package struct LedgerFilter: Sendable {
  package var uuid: UUID128?
  package var run: String?
  package var device: String?
  package var state: LedgerAccount.State?

  package init() {}
}

/// The end of a page of records.
package struct LedgerRecordCursor: Equatable, Sendable {
  package var uuid: UUID128
  package var device: DeviceIdentity

  package init(uuid: UUID128, device: DeviceIdentity) { (self.uuid, self.device) = (uuid, device) }
}

/// The records that a proxy has passed on, by uuid: written in the transaction of the requests that carried them.
extension Journal {
  /// The records examined for one page, whether or not they match.
  private static let recordsPerPage = 20_000
  /// The number of records after which the limit is checked again.
  private static let trimInterval = 65_536

  /// Notes records inside the transaction of the entries.
  func note(_ records: [LedgerRecord]) throws(DatabaseError) {
    for record in records { try note(record) }
    sentSinceTrim += records.count
    guard sentSinceTrim >= Self.trimInterval else { return }
    sentSinceTrim = 0
    try connection.run(
      "DELETE FROM sent WHERE last < (SELECT last FROM sent ORDER BY last DESC LIMIT 1 OFFSET ?1)", limits.sentRecords)
  }

  private func note(_ record: LedgerRecord) throws(DatabaseError) {
    try connection.with(
      """
      INSERT INTO sent VALUES(?1, ?2, ?3, ?4, ?4, 1, ?5, ?6, ?7, ?8, ?9) ON CONFLICT(uuid, run, device) DO UPDATE SET
        last = max(last, excluded.last), attempts = attempts + 1,
        acknowledged = coalesce(acknowledged, excluded.acknowledged),
        acknowledgements = acknowledgements + excluded.acknowledgements,
        deliveries = deliveries + excluded.deliveries,
        status = CASE excluded.status WHEN 0 THEN status ELSE excluded.status END,
        fault = CASE excluded.fault WHEN '' THEN fault ELSE excluded.fault END
      """
    ) { (statement: inout Statement) throws(DatabaseError) in
      let uuid = record.uuid.bytes
      let (run, name, fault) = (record.device.run, record.device.name, record.fault ?? "")
      var row = statement.start()
      row.bind(1, blob: uuid.span)
      row.bind(2, text: run.utf8.span)
      row.bind(3, text: name.utf8.span)
      row.bind(4, record.at)
      if record.isAcknowledged { row.bind(5, record.answeredAt) } else { row.bindNull(5) }
      row.bind(6, Int64(record.isAcknowledged ? 1 : 0))
      row.bind(7, Int64(record.isAcknowledged && record.isDelivered ? 1 : 0))
      row.bind(8, Int64(record.status))
      row.bind(9, text: fault.utf8.span)
      try row.run()
    }
  }

  /// Records that match, in the order of their uuids, runs and devices, at most `limit`.
  package func sentRecords(
    matching filter: LedgerFilter, after cursor: LedgerRecordCursor?, limit: Int
  ) throws(StoreError) -> Page<LedgerAccount, LedgerRecordCursor> {
    var found: [LedgerAccount] = []
    var last: LedgerRecordCursor?
    var looked = 0
    do {
      try connection.with(
        """
        SELECT uuid, run, device, first, last, attempts, acknowledged, acknowledgements, deliveries, status, fault FROM sent
        WHERE (uuid, run, device) \(cursor == nil ? ">=" : ">") (?1, ?2, ?3) ORDER BY uuid, run, device LIMIT ?4
        """
      ) { (statement: inout Statement) throws(DatabaseError) in
        let uuid = (cursor?.uuid ?? filter.uuid ?? UUID128(high: 0, low: 0)).bytes
        let device = cursor?.device ?? DeviceIdentity(name: "")
        var row = statement.start()
        row.bind(1, blob: uuid.span)
        row.bind(2, text: device.run.utf8.span)
        row.bind(3, text: device.name.utf8.span)
        row.bind(4, Int64(Self.recordsPerPage))
        while found.count < limit, try row.step() {
          let account = LedgerAccount(row)
          if let uuid = filter.uuid, uuid != account.uuid { break }
          looked += 1
          last = LedgerRecordCursor(uuid: account.uuid, device: account.device)
          if filter.takes(account) { found.append(account) }
        }
      }
    } catch {
      throw StoreError(error, opening: "the journal")
    }
    let isCutShort = found.count == limit || looked == Self.recordsPerPage
    return Page(elements: found, next: isCutShort ? last : nil)
  }
}

extension LedgerFilter {
  fileprivate func takes(_ account: LedgerAccount) -> Bool {
    if let run, !run.isExactly(account.device.run) { return false }
    if let device, !device.isExactly(account.device.name) { return false }
    if let state, state != account.state { return false }
    return true
  }
}

extension LedgerAccount {
  fileprivate init(_ row: borrowing Execution) {
    uuid = row.uuid(at: 0)
    device = DeviceIdentity(run: row.text(at: 1), name: row.text(at: 2))
    firstAt = row.integer(at: 3)
    lastAt = row.integer(at: 4)
    attempts = Int(row.integer(at: 5))
    acknowledgedAt = row.isNull(at: 6) ? nil : row.integer(at: 6)
    acknowledgements = Int(row.integer(at: 7))
    deliveries = Int(row.integer(at: 8))
    status = Int(row.integer(at: 9))
    let fault = row.text(at: 10)
    self.fault = fault.isEmpty ? nil : fault
  }
}
