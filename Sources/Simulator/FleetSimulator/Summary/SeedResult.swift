import Base
package import JSON
package import Oracle

/// The result of one seed among several, as a worker reports it.
package struct SeedResult: Equatable, Sendable {
  /// The exit code of the run.
  package var code: Int32
  /// The coverage; nil when there was no run.
  package var coverage: [CoverageSeen]?
  package var records = 0
  package var deviceHours = 0.0

  package init(code: Int32, coverage: [CoverageSeen]? = nil, records: Int = 0, deviceHours: Double = 0) {
    (self.code, self.coverage, self.records, self.deviceHours) = (code, coverage, records, deviceHours)
  }

  package var json: JSONValue {
    .object([
      "code": .integer(Int64(code)), "coverage": coverage.map(CoverageSeen.json) ?? .null,
      "records": .integer(Int64(records)), "deviceHours": .double(deviceHours),
    ])
  }

  package init(_ json: JSONValue) throws(SummaryError) {
    let node = SummaryNode(value: json, path: "seed")
    code = Int32(try node.member("code").count())
    if let node = node.optional("coverage") { coverage = try CoverageSeen.list(node) }
    records = try node.member("records").count()
    deviceHours = try node.member("deviceHours").number()
  }
}
