package import Base

/// An area of the city in which signals are missing.
package struct Zone: Sendable {
  package let kind: Cover.Kind
  package let area: Polygon
}
