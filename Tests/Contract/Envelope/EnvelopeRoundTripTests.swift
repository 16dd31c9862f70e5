import Testing

@testable import Contract

/// SDK §8.2, every combination: what the device writes is the body of the table, and the server finds in it what
/// the device put there.
struct EnvelopeRoundTripTests {
  enum Schema: CaseIterable {
    case standard, objectTemplate, arrayTemplate

    func record(_ number: Int) -> String {
      switch self {
      case .standard:
        #"{"timestamp":"2026-07-28T18:34:2\#(number).563Z","uuid":"u\#(number)","coords":{"latitude":45.5,"longitude":-116.3}}"#
      case .objectTemplate: #"{"lat":45.5\#(number),"lng":-116.3,"id":"u\#(number)","trip":7}"#
      case .arrayTemplate: #"[45.5\#(number),-116.3,"",true,{"trip":7}]"#
      }
    }
  }

  enum Params: CaseIterable {
    case none, some, collidingWithRoot

    func text(root: String) -> String {
      switch self {
      case .none: "{}"
      case .some: #"{"user_id":1234,"note":"a, b"}"#
      case .collidingWithRoot: #"{"user_id":1234,"\#(root.isEmpty ? "location" : root)":[{"lat":1,"lng":2}]}"#
      }
    }

    /// What follows the records in an object.
    var beside: String {
      switch self {
      case .none: ""
      case .some: #","user_id":1234,"note":"a, b""#
      case .collidingWithRoot: #","user_id":1234"#
      }
    }

    var found: [String] {
      switch self {
      case .none: []
      case .some: ["user_id=1234", #"note="a, b""#]
      case .collidingWithRoot: ["user_id=1234"]
      }
    }
  }

  struct Case: CustomTestStringConvertible {
    let count: Int?
    let root: String
    let schema: Schema
    let params: Params

    var testDescription: String {
      "\(count.map { "batch of \($0)" } ?? "single"), root \"\(root)\", \(schema), \(params)"
    }

    static var all: [Case] {
      var cases: [Case] = []
      for count in [nil, 0, 1, 2, 3] {
        for root in ["location", "data", ".", ""] {
          for schema in Schema.allCases {
            for params in Params.allCases {
              cases.append(Case(count: count, root: root, schema: schema, params: params))
            }
          }
        }
      }
      return cases
    }

    var records: [String] { (1...3).prefix(count ?? 1).map(schema.record) }

    var dropsParams: Bool { root == "." && params != .none && (count != nil || schema == .arrayTemplate) }

    /// The body as the table of the reference has it.
    var body: String {
      let list = "[\(records.joined(separator: ","))]"
      if root != "." {
        return "{\"\(root.isEmpty ? "location" : root)\":\(count == nil ? records[0] : list)\(params.beside)}"
      }
      if count != nil { return list }
      if schema == .arrayTemplate { return records[0] }
      let dot = params == .collidingWithRoot ? #",".":[{"lat":1,"lng":2}]"# : ""
      return "\(records[0].dropLast())\(params.beside)\(dot)}"
    }

    var found: FoundRecords {
      if root == "." { return count == nil ? FoundRecords(.bare, [body]) : FoundRecords(.bareBatch, records) }
      return FoundRecords(
        count == nil ? .wrapped : .wrappedBatch, root: root.isEmpty ? "location" : root, records, params: params.found)
    }

    func write() throws -> (body: String, warning: EnvelopeWarning?) {
      let writer = EnvelopeWriter(rootProperty: root, params: try RenderedObject(params.text(root: root)))
      var bytes: [UInt8] = []
      guard count != nil else {
        let warning = writer.appendSingle(records[0].utf8.span, to: &bytes)
        return (String(decoding: bytes, as: UTF8.self), warning)
      }
      let warning = writer.beginBatch(to: &bytes)
      for record in records { writer.appendToBatch(record.utf8.span, to: &bytes) }
      writer.endBatch(to: &bytes)
      return (String(decoding: bytes, as: UTF8.self), warning)
    }
  }

  @Test(arguments: Case.all)
  func whatADeviceWritesAServerFinds(_ test: Case) throws {
    let (body, warning) = try test.write()
    #expect(body == test.body)
    #expect(warning == (test.dropsParams ? .paramsDropped : nil))
    #expect(try FoundRecords(in: body) == test.found)
    #expect(try FoundRecords(in: body, EnvelopeReader(rootProperty: test.root)) == test.found)
  }
}
