package import JSON

/// Where the records and the params of a body are. Use one value for many bodies: its lists keep their memory.
package struct Envelope: Sendable {
  /// How the records were packed.
  package enum Shape: Sendable {
    /// An object with one record under the root.
    case wrapped
    /// An object with an array of records under the root.
    case wrappedBatch
    /// The body is the record. If it has params they are among its members.
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

  /// The members of an object at the top, while it is not yet known which of them is the root.
  var members: [EnvelopeMember] = []
  /// What stands in the arrays of those members.
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
