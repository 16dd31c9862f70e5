/// A tag of an XML file.
struct XMLTag {
  enum Kind: Equatable { case opens, closes, standsAlone }

  let kind: Kind
  /// Without the prefix of a namespace.
  let name: String
  let attributes: [(name: String, value: ArraySlice<UInt8>)]
  let spot: FileSpot

  func attribute(_ name: String) -> ArraySlice<UInt8>? { attributes.first { $0.name == name }?.value }
}
