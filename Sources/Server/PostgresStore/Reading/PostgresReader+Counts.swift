import Database
package import Store

extension PostgresReader {
  package func counts(run: String?) throws(StoreError) -> StoreCounts {
    let condition = run == nil ? "" : "WHERE run = $1::text"
    let counts = try find(
      """
      SELECT count(*), coalesce(sum(points), 0)::bigint, coalesce(sum(duplicates), 0)::bigint,
        coalesce(sum(quarantined), 0)::bigint, (SELECT count(*) FROM partitions),
        used_bytes()
      FROM devices \(condition)
      """, run.map { [.text($0)] } ?? []
    ) { row in
      StoreCounts(
        devices: row.integer(0), accepted: row.integer(1), duplicates: row.integer(2), quarantined: row.integer(3),
        partitions: row.integer(4), usedBytes: row.optionalInteger(5) ?? 0)
    }
    return counts[0]
  }

  /// Counts day by day, so that each statement stays within its timeout.
  package func countStored() throws(StoreError) -> Int64 {
    var total: Int64 = 0
    for day in try find("SELECT day FROM partitions WHERE day <> 0", [], { $0.integer(0) }) {
      let range = Day.range(day)
      total += try find(
        """
        SELECT count(*) FROM points WHERE recorded_at >= $1::int8 AND recorded_at < $2::int8
          AND device IN (SELECT id FROM devices)
        """, [.integer(range.lowerBound), .integer(range.upperBound)]
      ) { $0.integer(0) }[0]
    }
    return try total
      + find("SELECT count(*) FROM points_odd WHERE device IN (SELECT id FROM devices)", []) { $0.integer(0) }[0]
  }
}
