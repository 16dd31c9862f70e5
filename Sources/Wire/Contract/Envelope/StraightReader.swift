import JSON

/// Reads a body in the SDK's default schema, including its records, in one pass. The `EnvelopeReader` and the `RecordDecoder`
/// read each record twice, because an invalid record must not affect the others, and because the records of a body may be
/// anywhere.
///
/// The results equal those of the two. It accepts only a batch, or an object with its records under the configured root, or
/// else `location`; all of it must be JSON; each record must be an object with valid coordinates and without a `location` of
/// its own; and no other member of the body may have a meaning in a record. Other bodies are left to the two.
package struct StraightReader: Sendable {
  private let root: [UInt8]
  private let maxRecords: Int
  /// Whether bodies can be read here; records of templates cannot.
  private let isPossible: Bool

  package init(_ envelopes: EnvelopeReader, _ records: RecordDecoder) {
    root = envelopes.rootProperty ?? Array(EnvelopeKey.location.description.utf8)
    maxRecords = envelopes.maxRecords
    isPossible = records.templates.isEmpty && envelopes.templateKeys.isEmpty
  }

  /// Passes each record with its range in the body to `take`. Returns false when the body must be read by the other readers;
  /// then the records passed so far and `envelope` must be discarded.
  package func read(
    _ body: Span<UInt8>, into envelope: inout Envelope, _ take: (DecodedRecord, Range<Int>) -> Void
  ) -> Bool {
    guard isPossible else { return false }
    envelope.removeAll()
    var scan = UploadScan(body, root: root, maxRecords: maxRecords)
    do { return try scan.read(into: &envelope, take) } catch { return false }
  }
}

/// One pass over a body. Errors are not reported: the other readers find them again, with their place.
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

  /// Returns false for an empty array, which may be anything.
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
