import JSON

/// Reads a body as the SDK makes it in its default schema, records and all, in one pass. The `EnvelopeReader` and the `RecordDecoder`
/// go over each record twice, because a bad record must not harm the others, and because the records of a body may be anywhere.
///
/// What is read here is read as those two read it. A body is left to them unless it is a batch, or an object with its records under the
/// configured root, or else `location`; unless all of it is JSON; unless each record is an object with good coordinates and
/// without a `location` of its own; and unless no other member of the body has a meaning in a record.
package struct StraightReader: Sendable {
  private let root: [UInt8]
  private let maxRecords: Int
  /// Records of templates are read by these.
  private let isPossible: Bool

  package init(_ envelopes: EnvelopeReader, _ records: RecordDecoder) {
    root = envelopes.rootProperty ?? Array(EnvelopeKey.location.description.utf8)
    maxRecords = envelopes.maxRecords
    isPossible = records.templates.isEmpty && envelopes.templateKeys.isEmpty
  }

  /// Shows each record with its place in the body. False when the body is left to the others; what was shown and what is in `envelope`
  /// is of no use then.
  package func read(
    _ body: Span<UInt8>, into envelope: inout Envelope, _ take: (DecodedRecord, Range<Int>) -> Void
  ) -> Bool {
    guard isPossible else { return false }
    envelope.removeAll()
    var scan = UploadScan(body, root: root, maxRecords: maxRecords)
    do { return try scan.read(into: &envelope, take) } catch { return false }
  }
}

/// One pass over one body. What is thrown is not told: the readers to which the body is left find it again, with its place.
private struct UploadScan: ~Escapable {
  private let bytes: Span<UInt8>
  private let root: [UInt8]
  private let maxRecords: Int
  private let table = FieldTable.shared
  private var reader: JSONReader

  @_lifetime(copy bytes)
  init(_ bytes: Span<UInt8>, root: [UInt8], maxRecords: Int) {
    self.bytes = bytes
    self.root = root
    self.maxRecords = maxRecords
    reader = JSONReader(bytes)
  }

  mutating func read(into envelope: inout Envelope, _ take: (DecodedRecord, Range<Int>) -> Void) throws -> Bool {
    if try reader.peek() == .array {
      envelope.shape = .bareBatch
      guard try readBatch(into: &envelope, take) else { return false }
    } else {
      guard try readMembers(into: &envelope, take) else { return false }
    }
    try reader.finish()
    return true
  }

  private mutating func readMembers(
    into envelope: inout Envelope, _ take: (DecodedRecord, Range<Int>) -> Void
  ) throws -> Bool {
    try reader.enterObject()
    while let key = try reader.nextKey() {
      guard key.isPlain else { return false }
      if reader.equals(key, root.span) {
        guard envelope.root == nil, try readRoot(into: &envelope, take) else { return false }
        envelope.root = key
      } else if table.meaning(of: bytes.extracting(key.range), in: .root) == nil {
        envelope.params.append(Envelope.Param(key: key, value: try reader.skipValue()))
      } else {
        return false
      }
    }
    return envelope.root != nil
  }

  private mutating func readRoot(
    into envelope: inout Envelope, _ take: (DecodedRecord, Range<Int>) -> Void
  ) throws -> Bool {
    if try reader.peek() == .array {
      envelope.shape = .wrappedBatch
      return try readBatch(into: &envelope, take)
    }
    envelope.shape = .wrapped
    return try readRecord(into: &envelope, take)
  }

  /// An array without elements may be anything.
  private mutating func readBatch(
    into envelope: inout Envelope, _ take: (DecodedRecord, Range<Int>) -> Void
  ) throws -> Bool {
    try reader.enterArray()
    while try reader.nextElement() {
      guard envelope.records.count < maxRecords, try readRecord(into: &envelope, take) else { return false }
    }
    return !envelope.records.isEmpty
  }

  private mutating func readRecord(
    into envelope: inout Envelope, _ take: (DecodedRecord, Range<Int>) -> Void
  ) throws -> Bool {
    guard try reader.peek() == .object else { return false }
    let start = reader.offset
    var scan = RecordScan(bytes.extracting(start..<bytes.count), table: table)
    try scan.readObject(in: .root)
    guard !scan.hasLocation else { return false }
    let range = start..<start + scan.reader.offset
    let record = try scan.result()
    reader.pass(to: range.upperBound)
    envelope.records.append(range)
    take(record, range)
    return true
  }
}
