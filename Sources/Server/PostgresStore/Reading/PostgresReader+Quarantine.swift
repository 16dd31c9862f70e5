import Database
package import Store

extension PostgresReader {
  package func quarantine(
    _ selection: QuarantineSelection, before id: Int64?, limit: Int
  ) throws(StoreError) -> Page<QuarantinedRecord, Int64> {
    var condition = SelectionCondition(selection)
    let before = condition.value(.integer(id ?? .max))
    let most = condition.value(.integer(Int64(limit)))
    let records = try find(
      """
      SELECT quarantine.id, run, name, received, reason, detail, record
      FROM quarantine JOIN devices ON devices.id = device
      WHERE quarantine.id < \(before) \(condition.text) ORDER BY quarantine.id DESC LIMIT \(most)
      """, condition.values
    ) { row in
      QuarantinedRecord(
        id: row.integer(0), device: DeviceIdentity(run: row.text(1), name: row.text(2)), receivedAt: row.integer(3),
        reason: row.text(4), detail: row.text(5), record: row.blob(6))
    }
    return Page(elements: records, next: records.count == limit ? records.last?.id : nil)
  }

  package func quarantineReasons(
    _ selection: QuarantineSelection
  ) throws(StoreError) -> [(reason: String, count: Int64)] {
    let condition = SelectionCondition(selection)
    return try find(
      """
      SELECT reason, count(*) FROM quarantine JOIN devices ON devices.id = device
      WHERE true \(condition.text) GROUP BY reason ORDER BY reason COLLATE "C"
      """, condition.values
    ) { (reason: $0.text(0), count: $0.integer(1)) }
  }
}

/// The conditions of a selection: each combination is a separate statement, which the database plans separately.
private struct SelectionCondition {
  private(set) var text = ""
  private(set) var values: [PostgresValue] = []

  init(_ selection: QuarantineSelection) {
    if let run = selection.run { text += " AND run = \(value(.text(run)))" }
    if let device = selection.device { text += " AND name = \(value(.text(device)))" }
    if let reason = selection.reason { text += " AND reason = \(value(.text(reason)))" }
    if let id = selection.id { text += " AND quarantine.id = \(value(.integer(id)))" }
  }

  /// Adds a parameter with this value and returns its name.
  mutating func value(_ value: PostgresValue) -> String {
    values.append(value)
    return "$\(values.count)::\(value.type)"
  }
}
