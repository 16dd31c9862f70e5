import JSON

/// Finds the records in the body of an upload, whatever its shape. Its brackets, quotes, colons and commas must be those of
/// JSON, and its params all that JSON demands; what the texts and numbers of a record say is left to the `RecordDecoder`,
/// and a record may be as long and nested as deep as the body has room for, so that a bad one can not harm the others.
///
/// An array is a *batch* when its first element that is not null is an object or an array, or when there is none; else
/// it is one record of an array template. An object *has coordinates* when it has `coords`, or latitude and longitude by
/// one of their names. The first line that holds decides:
///
/// | body | records | params |
/// |---|---|---|
/// | object with all keys of an object template | the body | – |
/// | array that is a batch | each element; an element `{"location":R}` without coordinates of its own is R | – |
/// | any other array | the body | – |
/// | object with the configured root, its value an object or array | that value, or its elements if it is a batch | the other members |
/// | object with time and without coordinates, whose `location` has coordinates, but neither time nor identity | the body | – |
/// | object with `location`, its value an object or array | as with a configured root | the other members |
/// | object with coordinates | the body | – |
/// | object with another member that looks like records | as with a configured root | the other members |
/// | any other object | the body, which then lacks coordinates | – |
///
/// Several members may look like records. The best counts, and the first among equals: an object with coordinates or a
/// batch with a record that has them; a batch of arrays; an array of two values or more; a batch of objects; an empty
/// array. A key that occurs twice counts where it occurs last.
package struct EnvelopeReader: Sendable {
  /// The root that a server expects; nil for those that are found anyway.
  let rootProperty: [UInt8]?
  let maxRecords: Int
  let table = FieldTable.shared
  /// Keys of the objects that are records, whatever else they look like.
  let templateKeys: [[[UInt8]]]

  /// "", "." and "location" need no configuration and are the same as nil.
  package init(
    rootProperty: String? = nil, maxRecords: Int = 10_000, templates: [TemplateSchema] = []
  ) {
    templateKeys = templates.compactMap { if case .object(let members) = $0.root { members.map(\.name) } else { nil } }
    let isOrdinary =
      rootProperty == nil || rootProperty == "" || rootProperty == EnvelopeKey.noRoot.description
      || rootProperty == EnvelopeKey.location.description
    self.rootProperty = isOrdinary ? nil : rootProperty.map { Array($0.utf8) }
    self.maxRecords = maxRecords
  }

  /// Fills `envelope` with what the body holds; a batch without records is fine. After an error it holds nothing of use.
  package func read(_ body: Span<UInt8>, into envelope: inout Envelope) throws(EnvelopeError) {
    envelope.removeAll()
    let error: EnvelopeError?
    do {
      error = try find(body, in: &envelope)
    } catch {
      throw EnvelopeError.malformed(error)
    }
    if let error { throw error }
    if envelope.records.count > maxRecords { throw EnvelopeError.tooManyRecords(limit: maxRecords) }
  }

  private func find(_ body: Span<UInt8>, in envelope: inout Envelope) throws(JSONError) -> EnvelopeError? {
    var scan = EnvelopeScan(body, self)
    switch try scan.kind() {
    case nil: return .empty
    case .array:
      let array = try scan.readArray(into: &envelope)
      try scan.finish()
      if array.isBatch { envelope.records += envelope.elements } else { envelope.records.append(array.range) }
      envelope.shape = array.isBatch ? .bareBatch : .bare
    case .object:
      let body = try scan.readMembers(into: &envelope)
      try scan.finish()
      scan.choose(body, in: &envelope)
      try scan.checkParams(of: envelope)
    case .string, .number, .true, .false, .null: return .neitherObjectNorArray
    }
    return nil
  }
}
