import JSON

@testable import Contract

extension LocationRecord {
  /// The record in the default schema.
  func text(_ style: RecordStyle = .iOS) -> String {
    var encoder = RecordEncoder(style: style)
    var bytes: [UInt8] = []
    encoder.append(self, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension RenderedObject {
  var text: String {
    var bytes: [UInt8] = []
    append(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension RecordDecoder {
  func decode(_ text: String) throws(RecordProblem) -> DecodedRecord { try decode(text.utf8.span) }
}

/// What an `EnvelopeReader` found, as texts.
struct FoundRecords: Equatable {
  var shape: Envelope.Shape
  var root: String?
  var records: [String]
  var params: [String]

  init(_ shape: Envelope.Shape, root: String? = nil, _ records: [String], params: [String] = []) {
    self.shape = shape
    self.root = root
    self.records = records
    self.params = params
  }

  init(in body: String, _ reader: EnvelopeReader = EnvelopeReader()) throws(EnvelopeError) {
    var envelope = Envelope()
    try reader.read(body.utf8.span, into: &envelope)
    let bytes = Array(body.utf8)
    func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
    shape = envelope.shape
    root = envelope.root.map { text($0.range) }
    records = envelope.records.map(text)
    params = envelope.params.map { "\(text($0.key.range))=\(text($0.value))" }
  }
}

extension JSONValue {
  /// The value of a text written into a test.
  init(source: String) throws(JSONError) { try self.init(parsing: source.utf8.span) }
}
