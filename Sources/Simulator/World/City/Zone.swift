package import Base

/// An area of the city in which signals are missing.
package struct Zone: Sendable {
  package let kind: Cover.Kind
  package let area: Polygon

  package init(kind: Cover.Kind, area: Polygon) {
    self.kind = kind
    self.area = area
  }
}
