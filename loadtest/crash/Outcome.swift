import JSON

/// One line of the table, and of the file of results.
struct Outcome {
  let name: String
  let detail: String
  let ledgers: [Ledger]
  let verdict: Verdict
  var remarks: [String] = []

  var isGood: Bool { verdict.isGood && remarks.isEmpty }

  private var acknowledged: Int { ledgers.reduce(0) { $0 + $1.acknowledgedRecords } }
  private var brokenOff: Int { ledgers.reduce(0) { $0 + $1.brokenOff } }
  private var refused: Int {
    ledgers.reduce(0) { sum, ledger in sum + ledger.statuses.filter { $0.key != 200 }.values.reduce(0, +) }
  }

  static let heading =
    "campaign".padded(16) + "detail".padded(54) + "acknowledged".padded(14) + "stored".padded(10) + "cut off".padded(9)
    + "refused".padded(9) + "missing".padded(9) + "twice".padded(7) + "torn".padded(6) + "unexpected".padded(12)
    + "verdict"

  var line: String {
    name.padded(16) + detail.padded(54) + "\(acknowledged)".padded(14) + "\(verdict.stored)".padded(10)
      + "\(brokenOff)".padded(9) + "\(refused)".padded(9) + "\(verdict.missing)".padded(9)
      + "\(verdict.twice)".padded(7)
      + "\(verdict.torn)".padded(6) + "\(verdict.unexpected)".padded(12) + (isGood ? "good" : "BAD")
  }

  /// What is wrong beside the counts, a sentence each.
  var complaints: [String] { remarks + verdict.lies.prefix(10) }

  func json(seed: UInt64, commit: String, machine: String) -> String {
    var writer = JSONWriter(capacity: 256)
    let pairs: [(String, JSONValue)] = [
      ("campaign", .string(name)), ("detail", .string(detail)), ("seed", .string("\(seed)")),
      ("commit", .string(commit)), ("machine", .string(machine)), ("acknowledged", .integer(Int64(acknowledged))),
      ("stored", .integer(Int64(verdict.stored))), ("cutOff", .integer(Int64(brokenOff))),
      ("refused", .integer(Int64(refused))), ("missing", .integer(Int64(verdict.missing))),
      ("twice", .integer(Int64(verdict.twice))), ("torn", .integer(Int64(verdict.torn))),
      ("unexpected", .integer(Int64(verdict.unexpected))), ("good", isGood ? .bool(true) : .bool(false)),
    ]
    writer.beginObject()
    for (key, value) in pairs {
      writer.key(key)
      value.write(to: &writer)
    }
    writer.endObject()
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}

extension String {
  fileprivate func padded(_ width: Int) -> String {
    self + String(repeating: " ", count: max(1, width - count))
  }
}
