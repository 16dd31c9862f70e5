import FoundationEssentials
import JSON

/// One tracking record of about 600 bytes, written and read by the package's own JSON and by FoundationEssentials.
struct RecordBench {
  private let record = BenchRecord.sample
  private let text: [UInt8]

  init() {
    var writer = JSONWriter()
    record.write(to: &writer)
    text = writer.bytes
  }

  func run() throws {
    try checkThatBothDoTheSame()
    let contract = try ContractMeasures(record, text: text)
    try Rounds.run(
      title: "write a record of \(text.count) bytes", baseline: jsonEncoder(),
      candidates: [ownWriter(), contract.encode(), contract.render()])
    try Rounds.run(
      title: "read the same record", baseline: jsonDecoder(),
      candidates: [
        ownReader("JSONReader, whole record", keepingStrings: true),
        ownReader("JSONReader, strings left in place", keepingStrings: false),
        ownSkip(), contract.decode(), contract.readSingle(), contract.readBatch(),
      ])
  }

  private func jsonEncoder() -> Measure {
    let encoder = JSONEncoder()
    return Measure(name: "JSONEncoder", iterations: 1_000) { try encoder.encode(record).count }
  }

  private func ownWriter() -> Measure {
    var writer = JSONWriter(capacity: 1024)
    return Measure(name: "JSONWriter", iterations: 10_000) {
      writer.removeAll(keepingCapacity: true)
      record.write(to: &writer)
      return writer.bytes.count
    }
  }

  private func jsonDecoder() -> Measure {
    let decoder = JSONDecoder()
    let data = Data(text)
    return Measure(name: "JSONDecoder", iterations: 1_000) {
      try decoder.decode(BenchRecord.self, from: data).activity.confidence
    }
  }

  private func ownReader(_ name: String, keepingStrings: Bool) -> Measure {
    Measure(name: name, iterations: 10_000) {
      var reader = JSONReader(text.span)
      let read = try BenchRecord(from: &reader, keepingStrings: keepingStrings)
      try reader.finish()
      return read.activity.confidence
    }
  }

  private func ownSkip() -> Measure {
    Measure(name: "JSONReader, only checked", iterations: 10_000) {
      var reader = JSONReader(text.span)
      let range = try reader.skipValue()
      try reader.finish()
      return range.count
    }
  }

  /// What is compared must do the same work: each side reads what the other wrote, and both get the record.
  private func checkThatBothDoTheSame() throws {
    let theirText = Array(try JSONEncoder().encode(record))
    var reader = JSONReader(theirText.span)
    let ours = try BenchRecord(from: &reader, keepingStrings: true)
    let theirs = try JSONDecoder().decode(BenchRecord.self, from: Data(text))
    precondition(ours == record && theirs == record, "the two sides disagree about the record")
  }
}
