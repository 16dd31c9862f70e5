import Database

extension SQLiteReader {
  package func quarantine(
    _ selection: QuarantineSelection, before id: Int64?, limit: Int
  ) throws(StoreError) -> Page<QuarantinedRecord, Int64> {
    try ask { () throws(DatabaseError) in
      let records = try connection.with(
        selection,
        """
        SELECT quarantine.id, run, name, received, reason, detail, record
        FROM quarantine CROSS JOIN devices ON devices.id = device
        WHERE \(QuarantineSelection.condition) AND quarantine.id < ?8 ORDER BY quarantine.id DESC LIMIT ?9
        """
      ) { (row: inout Execution) throws(DatabaseError) in
        row.bind(8, id ?? .max)
        row.bind(9, Int64(limit))
        var records: [QuarantinedRecord] = []
        while try row.step() { records.append(row.quarantinedRecord()) }
        return records
      }
      return Page(elements: records, next: records.count == limit ? records.last?.id : nil)
    }
  }

  package func quarantineReasons(
    _ selection: QuarantineSelection
  ) throws(StoreError) -> [(reason: String, count: Int64)] {
    try ask { () throws(DatabaseError) in
      try connection.with(
        selection,
        """
        SELECT reason, count(*) FROM quarantine CROSS JOIN devices ON devices.id = device
        WHERE \(QuarantineSelection.condition) GROUP BY reason ORDER BY reason
        """
      ) { (row: inout Execution) throws(DatabaseError) in
        var reasons: [(reason: String, count: Int64)] = []
        while try row.step() { reasons.append((row.text(at: 0), row.integer(at: 1))) }
        return reasons
      }
    }
  }
}

extension QuarantineSelection {
  /// For a join of `quarantine` and `devices`; uses the parameters 1 to 7.
  static let condition = """
    (?1 OR run = ?2) AND (?3 OR name = ?4) AND (?5 OR reason = ?6) AND (?7 < 0 OR quarantine.id = ?7)
    """
}

extension StoreConnection {
  /// Runs `body` with a statement that contains the condition, with the values of the selection bound.
  func with<Result>(
    _ selection: QuarantineSelection, _ sql: String, _ body: (inout Execution) throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    let run = selection.run ?? ""
    let device = selection.device ?? ""
    let reason = selection.reason ?? ""
    return try with(sql) { (statement: inout Statement) throws(DatabaseError) in
      var row = statement.start()
      row.bind(1, selection.run == nil ? 1 : 0 as Int64)
      row.bind(2, text: run.utf8.span)
      row.bind(3, selection.device == nil ? 1 : 0 as Int64)
      row.bind(4, text: device.utf8.span)
      row.bind(5, selection.reason == nil ? 1 : 0 as Int64)
      row.bind(6, text: reason.utf8.span)
      row.bind(7, selection.id ?? -1)
      return try body(&row)
    }
  }
}

extension Execution {
  fileprivate func quarantinedRecord() -> QuarantinedRecord {
    QuarantinedRecord(
      id: integer(at: 0), device: DeviceIdentity(run: text(at: 1), name: text(at: 2)), receivedAt: integer(at: 3),
      reason: text(at: 4), detail: text(at: 5), record: blob(at: 6))
  }
}
