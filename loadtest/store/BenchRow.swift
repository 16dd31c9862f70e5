import Base

/// The n-th record of the load: devices in turn with fifty records each, one millisecond between records.
struct BenchRow {
  static let batch = 50
  static let devices = 5_000

  let number: Int
  let start: Int64

  var device: Int { number / BenchRow.batch % BenchRow.devices }
  var recordedAt: Int64 { start + Int64(number) }

  /// Spread like random bits (the finaliser of MurmurHash3), and the same for every run.
  var uuid: UUID128 {
    var word = UInt64(truncatingIfNeeded: number) &* 0x9E37_79B9_7F4A_7C15
    word = (word ^ word >> 33) &* 0xFF51_AFD7_ED55_8CCD
    word = (word ^ word >> 33) &* 0xC4CE_B9FE_1A85_EC53
    return UUID128(high: word ^ word >> 33, low: UInt64(truncatingIfNeeded: number))
  }

  var bytes: [UInt8] {
    let uuid = uuid
    return [uuid.high, uuid.low].flatMap { half in
      stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: half >> UInt64($0)) }
    }
  }
}
