import JSON

/// A member of the object at the top of a body, with what is to be known about its value to find the root.
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

/// What an object looks like without knowing what it is for.
struct ObjectFacts {
  var range = 0..<0
  /// Whether it has `coords`, or latitude and longitude.
  var hasCoordinates = false
  var hasTime = false
  var hasIdentity = false
  /// The object or array under `location`.
  var location: Location?

  struct Location {
    let range: Range<Int>
    let isObject: Bool
    let hasCoordinates: Bool
    let hasTime: Bool
    let hasIdentity: Bool
  }

  /// Whether there is a place to be read, here or under `location`.
  var isReadable: Bool { hasCoordinates || location?.hasCoordinates == true }

  /// Whether `location` is but the name that this record has for its coordinates: the time stands beside it.
  var isRecordWithLocation: Bool {
    guard let location else { return false }
    return location.isObject && location.hasCoordinates && !location.hasTime && !location.hasIdentity && hasTime
  }

  /// The record itself, where it is wrapped without its wrapper.
  var record: Range<Int> {
    guard let location, !hasCoordinates, !isRecordWithLocation else { return range }
    return location.range
  }
}

/// What an array looks like without knowing what it is for.
struct ArrayFacts {
  var range = 0..<0
  /// Where its elements are in the list of the envelope; at most one more than the limit.
  var elements = 0..<0
  /// The kind of the first element that is not null.
  var firstKind: JSONKind?
  /// Whether an element has coordinates.
  var hasReadableElement = false

  mutating func note(_ kind: JSONKind) {
    if case .null = kind { return }
    if firstKind == nil { firstKind = kind }
  }

  /// Whether it holds records, rather than being one itself.
  var isBatch: Bool {
    switch firstKind {
    case nil, .object, .array: true
    case .string, .number, .true, .false, .null: false
    }
  }
}
