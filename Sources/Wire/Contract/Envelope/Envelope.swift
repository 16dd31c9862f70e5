package import JSON

/// The positions of the records and the params in a body. Reuse one value for many bodies: its lists keep their memory.
package struct Envelope: Sendable {
  /// How the records are packed.
  package enum Shape: Sendable {
    /// An object with one record under the root.
    case wrapped
    /// An object with an array of records under the root.
    case wrappedBatch
    /// The body is the record. Params, if any, are among its members.
    case bare
    /// The body is an array of records.
    case bareBatch
  }

  /// A member of the body beside the records.
  package struct Param: Sendable {
    package let key: JSONText
    /// The bytes of the value in the body.
    package let value: Range<Int>
  }

  package internal(set) var shape = Shape.bareBatch
  /// The key of the records; nil when they are bare.
  package internal(set) var root: JSONText?
  /// The bytes of each record in the body, in the order of the body.
  package internal(set) var records: [Range<Int>] = []
  package internal(set) var params: [Param] = []

  /// The members of a top-level object, while it is unknown which of them is the root.
  var members: [EnvelopeMember] = []
  /// The elements of the arrays among those members.
  var elements: [Range<Int>] = []

  package init() {}

  mutating func removeAll() {
    root = nil
    records.removeAll(keepingCapacity: true)
    params.removeAll(keepingCapacity: true)
    members.removeAll(keepingCapacity: true)
    elements.removeAll(keepingCapacity: true)
  }
}

/// A member of the top-level object, with the properties of its value that determine the root.
struct EnvelopeMember {
  enum Content {
    case scalar
    case object(ObjectFacts)
    case array(ArrayFacts)
  }

  let key: JSONText
  let value: Range<Int>
  let content: Content

  var isContainer: Bool {
    if case .scalar = content { false } else { true }
  }
}

/// Properties of an object that do not depend on its purpose.
struct ObjectFacts {
  var range = 0..<0
  /// Whether it has `coords`, or latitude and longitude.
  var hasCoordinates = false
  /// Whether they are under `coords`, as in a complete record.
  var hasCoords = false
  var hasTime = false
  var hasIdentity = false
  /// The object or array under `location`.
  var location: Location?

  struct Location {
    let range: Range<Int>
    let isObject: Bool
    let hasCoordinates: Bool
    let hasCoords: Bool
    let hasTime: Bool
    let hasIdentity: Bool
  }

  /// Whether there is a readable position, here or under `location`.
  var isReadable: Bool { hasCoordinates || location?.hasCoordinates == true }

  /// Whether `location` is only this record's name for its coordinates, because the time is beside it.
  var isRecordWithLocation: Bool {
    guard let location else { return false }
    let isPlace = location.isObject && location.hasCoordinates && !location.hasCoords
    return isPlace && !location.hasTime && !location.hasIdentity && hasTime
  }

  /// The record itself, without its wrapper if it is wrapped.
  var record: Range<Int> {
    guard let location, !hasCoordinates, !isRecordWithLocation else { return range }
    return location.range
  }
}

/// Properties of an array that do not depend on its purpose.
struct ArrayFacts {
  var range = 0..<0
  /// The range of its elements in the list of the envelope; at most one more than the limit.
  var elements = 0..<0
  /// The kind of the first element that is not null.
  var firstKind: JSONKind?
  /// Whether an element has coordinates.
  var hasReadableElement = false
  /// Whether a template makes arrays of values, one of which may be an object.
  let mayBeRecord: Bool

  init(mayBeRecord: Bool) { self.mayBeRecord = mayBeRecord }

  mutating func note(_ kind: JSONKind) {
    if case .null = kind { return }
    if firstKind == nil { firstKind = kind }
  }

  /// Whether it contains records, rather than being one itself.
  var isBatch: Bool {
    if hasReadableElement && !mayBeRecord { return true }
    return switch firstKind {
    case nil, .object, .array: true
    case .string, .number, .true, .false, .null: false
    }
  }
}

/// Why a body could not be read at all.
package enum EnvelopeError: Error, Equatable {
  /// Nothing but white space.
  case empty
  /// A number, a text, true, false or null.
  case neitherObjectNorArray
  /// Not JSON, or too broken to tell the records in it apart.
  case malformed(JSONError)
  case tooManyRecords(limit: Int)
}

/// A warning that a device logs about a body that it could not write as configured.
package enum EnvelopeWarning: Equatable, Sendable {
  /// A body that is an array has no place for params.
  case paramsDropped
}

/// Finds the records in the body of an upload, whatever its shape. Its brackets, quotes, colons and commas must be valid JSON,
/// and its params fully valid; the texts and numbers of a record are left to the `RecordDecoder`, and a record may be as long
/// and as deeply nested as the body allows, so that an invalid one does not affect the others.
///
/// An array is a *batch* when its first element that is not null is an object or an array, or when there is none, and, if no
/// template makes arrays, when an element has coordinates; otherwise it is one record of an array template. An object *has
/// coordinates* when it has `coords`, or latitude and longitude by one of their names. The first matching line applies:
///
/// | body | records | params |
/// |---|---|---|
/// | object with all keys of an object template | the body | – |
/// | array that is a batch | each element; an element `{"location":R}` without coordinates of its own is R | – |
/// | any other array | the body | – |
/// | object with the configured root, its value an object or array | that value, or its elements if it is a batch | the other members |
/// | object with time and without coordinates, whose `location` has latitude and longitude, but neither `coords` nor time nor identity | the body | – |
/// | object with `location`, its value an object or array | as with a configured root | the other members |
/// | object with coordinates | the body | – |
/// | object with another member that looks like records | as with a configured root | the other members |
/// | any other object | the body, which then lacks coordinates | – |
///
/// If several members look like records, the best counts, and the first among equals: an object with coordinates or a batch
/// with a record that has them; a batch of arrays; an object with time and identity when the body does not have both; an array
/// of two values or more; a batch of objects; an empty array. Of a repeated key the last occurrence counts.
package struct EnvelopeReader: Sendable {
  /// The root that a server expects; nil for roots that are recognized anyway.
  let rootProperty: [UInt8]?
  /// That root, and those of other apps.
  let roots: [[UInt8]]
  package let maxRecords: Int
  let table = FieldTable.shared
  /// The key sets of objects that are records, whatever else they look like.
  let templateKeys: [[[UInt8]]]
  /// Whether a record may be an array.
  let hasArrayTemplate: Bool

  /// "", "." and "location" need no configuration and are equivalent to nil.
  package init(
    rootProperty: String? = nil, otherRoots: [String] = [], maxRecords: Int = 10_000, templates: [TemplateSchema] = []
  ) {
    hasArrayTemplate = templates.contains { if case .array = $0.root { true } else { false } }
    templateKeys = templates.compactMap { if case .object(let members) = $0.root { members.map(\.name) } else { nil } }
    let ordinary = ["", EnvelopeKey.noRoot.description, EnvelopeKey.location.description]
    self.rootProperty = rootProperty.flatMap { ordinary.contains($0) ? nil : Array($0.utf8) }
    let others = otherRoots.filter { !ordinary.contains($0) }.map { Array($0.utf8) }
    roots = (self.rootProperty.map { [$0] } ?? []) + others
    self.maxRecords = maxRecords
  }

  /// Fills `envelope` with the content of the body; a batch without records is valid. After an error the envelope is undefined.
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
