/// One step of a schema. Once released it never changes; the next change is the next number.
package struct Migration: Sendable {
  package let number: Int
  package let sql: String

  package init(_ number: Int, _ sql: String) {
    self.number = number
    self.sql = sql
  }
}
