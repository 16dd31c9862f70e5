/// What the elements of a record mean that an array template made: the names of its tags in their order.
package struct ArraySchema: Sendable {
  let fields: [RecordField?]

  /// A name is a tag of a template, `latitude` or `activity.type`. A name that means nothing to a server, and an element
  /// beyond the last name, are passed over.
  package init(_ names: [String]) {
    fields = names.map { name in
      switch FieldTable.shared.meaning(of: name.utf8.span, in: .root) {
      case .field(let field, _): field
      case .object, nil: nil
      }
    }
  }
}
