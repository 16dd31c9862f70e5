/// Some of the fields of a record.
package struct RecordFieldSet: Equatable, Sendable {
  private var bits: UInt32 = 0

  package init() {}

  package var isEmpty: Bool { bits == 0 }

  /// In the order of their declaration.
  package var fields: [RecordField] { RecordField.allCases.filter(contains) }

  package func contains(_ field: RecordField) -> Bool { bits & (1 << UInt32(field.rawValue)) != 0 }

  mutating func insert(_ field: RecordField) { bits |= 1 << UInt32(field.rawValue) }

  mutating func remove(_ field: RecordField) { bits &= ~(1 << UInt32(field.rawValue)) }
}
