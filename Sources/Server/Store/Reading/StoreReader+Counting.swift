import Database

extension StoreReader {
  /// How many there are among a bounded number of rows behind the cursor, and where to go on.
  package func count(
    _ selection: RecordSelection, after cursor: ArrivalCursor? = nil
  ) throws(StoreError) -> (count: Int, next: ArrivalCursor?) {
    try ask { () throws(DatabaseError) in
      let device = selection.keys.device
      let owner = try device.map { (device) throws(DatabaseError) in try identifier(of: device) ?? 0 } ?? -1
      guard let stretch = try stretch(behind: cursor, selection.keys) else { return (0, nil) }
      return (try count(selection, owner, in: stretch), stretch.next)
    }
  }

  private func count(
    _ selection: RecordSelection, _ owner: Int64, in stretch: ArrivalStretch
  ) throws(DatabaseError) -> Int {
    let run = selection.keys.run
    let event = selection.event ?? ""
    return try connection.with(
      """
      SELECT count(*) FROM points_\(stretch.partition) AS point CROSS JOIN devices ON devices.id = device
      WHERE point.id > ?1 AND point.id <= ?2 AND run = ?3 AND (?4 < 0 OR device = ?4)
        AND recorded_at >= ?5 AND recorded_at < ?6 AND (?7 OR point.event = ?8) AND received_at >= ?9
      """
    ) { (statement: inout Statement) throws(DatabaseError) in
      var row = statement.start()
      row.bind(1, stretch.after)
      row.bind(2, stretch.through)
      row.bind(3, text: run.utf8.span)
      row.bind(4, owner)
      row.bind(5, selection.keys.from)
      row.bind(6, selection.keys.to)
      row.bind(7, selection.event == nil ? 1 : 0 as Int64)
      row.bind(8, text: event.utf8.span)
      row.bind(9, selection.receivedFrom)
      let isThere = try row.step()
      precondition(isThere, "an aggregate has a row")
      return Int(row.integer(at: 0))
    }
  }
}
