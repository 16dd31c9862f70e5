import BackendStore
import Base
import Contract
import Scenario

/// Lists of encoders that leave out what is 0 or false, such as JSON of Protocol Buffers, or of Go with omitempty.
extension ClauseRun {
  static let reasonOfZeros = "the list leaves out each quantity that is 0: whether they are stored was not seen"

  /// Reports whether the list leaves out every quantity that is 0, and shows those of other records. A database shows what it has.
  func leavesOutZeros(
    _ fields: [String], of zeros: SentRecord, beside others: [SentRecord], in look: FoundRecords
  ) -> Bool {
    let quantities = fields.filter { zeros.value.value(at: $0)?.double == 0 }
    return target.dialect.verification.url != nil && quantities.count > 1
      && quantities.allSatisfy { isMissing($0, of: zeros, beside: others, in: look) }
  }

  func isMissing(
    _ field: String, of record: SentRecord, beside others: [SentRecord], in look: FoundRecords
  ) -> Bool {
    look.entry(of: record)?.value(field) == nil
      && others.allSatisfy { look.entry(of: $0)?.value(field)?.isNull == false }
  }

  /// Sends two records, and reports the same of all quantities that the list shows.
  func listLeavesOutZeros() throws -> Bool {
    guard target.dialect.verification.url != nil else { return false }
    let phone = try phone()
    let usual = fix(phone)
    let zeros = fix(phone) { record in
      (record.coords.speed, record.coords.heading, record.coords.altitude, record.odometer) = (0, 0, 0, 0)
      record.battery.level = 0
    }
    try deliver(phone, [usual, zeros])
    let look = try look(for: [usual, zeros], of: phone.name)
    let fields = ["coords.speed", "coords.heading", "coords.altitude", "odometer", "battery.level"]
    return leavesOutZeros(
      fields.filter { look.entry(of: usual)?.value($0) != nil }, of: zeros, beside: [usual], in: look)
  }
}

extension StoredValue {
  /// The value without members that are 0 or false.
  var withoutZeros: StoredValue {
    guard case .object(let members) = self else { return self }
    return .object(members.filter { !$0.value.isZero }.map { ($0.key, $0.value.withoutZeros) })
  }
}
