import Database

extension Journal {
  /// Entries looked at for one page, whether or not they match.
  private static let rowsPerPage: Int64 = 10_000

  /// Entries behind `sequence` that match, in order, at most `limit`. The page says where to go on, also when it found
  /// nothing in the stretch it looked at.
  package func requests(
    matching filter: JournalFilter = JournalFilter(), after sequence: Int64 = 0, limit: Int
  ) throws(StoreError) -> Page<JournaledRequest, Int64> {
    do {
      return try connection.database.transaction(.deferred) { () throws(DatabaseError) in
        let last = try connection.database.integer("SELECT coalesce(max(sequence), 0) FROM requests")
        let first = try connection.first("SELECT min(sequence) FROM requests WHERE sequence > ?1", sequence) ?? last
        let through = max(first, sequence) + Journal.rowsPerPage
        let found = try select(filter, after: sequence, through: through, limit: limit)
        if found.count == limit { return Page(elements: found, next: found.last?.sequence) }
        return Page(elements: found, next: through < last ? through : nil)
      }
    } catch {
      throw StoreError(error, opening: "the journal")
    }
  }

  private func select(
    _ filter: JournalFilter, after: Int64, through: Int64, limit: Int
  ) throws(DatabaseError) -> [JournaledRequest] {
    try connection.with(
      """
      SELECT sequence, run, device, received, duration, method, path, status, head, body, answer, fault FROM requests
      WHERE sequence > ?1 AND sequence <= ?2 AND (?3 OR run = ?4) AND (?5 OR device = ?6) AND (?7 < 0 OR status = ?7)
        AND substr(path, 1, length(?8)) = ?8
      ORDER BY sequence
      """
    ) { (statement: inout Statement) throws(DatabaseError) in
      let run = filter.run ?? ""
      let device = filter.device ?? ""
      let prefix = filter.pathPrefix ?? ""
      var row = statement.start()
      row.bind(1, after)
      row.bind(2, through)
      row.bind(3, filter.run == nil ? 1 : 0 as Int64)
      row.bind(4, text: run.utf8.span)
      row.bind(5, filter.device == nil ? 1 : 0 as Int64)
      row.bind(6, text: device.utf8.span)
      row.bind(7, Int64(filter.status ?? -1))
      row.bind(8, text: prefix.utf8.span)
      var found: [JournaledRequest] = []
      while found.count < limit, try row.step() {
        let request = row.journaledRequest()
        if filter.condition?(request.entry) ?? true { found.append(request) }
      }
      return found
    }
  }
}

extension Execution {
  fileprivate func journaledRequest() -> JournaledRequest {
    JournaledRequest(
      sequence: integer(at: 0),
      entry: JournalEntry(
        run: text(at: 1), device: optionalText(at: 2), receivedAt: integer(at: 3), durationMicroseconds: integer(at: 4),
        method: text(at: 5), path: text(at: 6), status: Int(integer(at: 7)), head: blob(at: 8), body: blob(at: 9),
        answer: blob(at: 10), fault: optionalText(at: 11)))
  }
}
