import JSON

/// Reads records the way a server must: only the coordinates have to be there.
///
/// - Keys are those of the default schema, or at the root of a flat record their usual short forms (`lat`, `lng`, `t`).
///   Where several say the same, nested counts more than flat and the schema's name more than a short form; within one
///   rank the last one counts. `id` is taken for the identity only if it has the form of a UUID.
/// - Numbers, truth values and times may stand in quotes, 0 and 1 are truth values. Times are ISO-8601 or a count since
///   1970 of seconds, milliseconds or microseconds (`LenientText.instant` tells which).
/// - null and an empty text say nothing, and so does a negative accuracy, speed, heading or battery level.
/// - Where the templates of the app are known, a record that one of them made is read by it and by nothing else.
/// - Whatever else stands in a record is passed over; its bytes are kept by whoever keeps the record.
package struct RecordDecoder: Sendable {
  private let templates: [TemplateSchema]
  private let table = FieldTable.shared

  /// Records of array templates are refused when none of `templates` made them.
  package init(templates: [TemplateSchema] = []) {
    self.templates = templates
  }

  /// `record` is what an `EnvelopeReader` found: one value, of which nothing but the structure is checked.
  package func decode(_ record: Span<UInt8>) throws(RecordProblem) -> DecodedRecord {
    var scan = RecordScan(record, table: table)
    let problem: RecordProblem?
    do {
      problem = try read(&scan)
    } catch {
      throw RecordProblem(.malformed)
    }
    if let problem { throw problem }
    return try scan.result()
  }

  private func read(_ scan: inout RecordScan) throws(JSONError) -> RecordProblem? {
    if !templates.isEmpty, let template = try scan.template(among: templates) {
      try scan.read(template.root)
      return nil
    }
    switch try scan.kind() {
    case .object: try scan.readObject(in: .root)
    case .array: return RecordProblem(.arrayWithoutSchema)
    case .string, .number, .true, .false, .null: return RecordProblem(.notAnObject)
    }
    return nil
  }
}
