/// A kind of network connection, and how it behaves.
package struct RadioLink: Equatable, Sendable {
  /// What the phone says that it is. `none` makes every connection fail at once; over the others bytes may still get lost.
  package enum Kind: Equatable, Sendable {
    case wifi, cellular, none
  }

  package let name: String
  package let kind: Kind
  package let quality: LinkQuality

  package init(name: String, kind: Kind, quality: LinkQuality) {
    self.name = name
    self.kind = kind
    self.quality = quality
  }
}
