/// A job that is through.
package struct Completion: Sendable {
  package let ticket: Ticket
  package let result: StoreResult
}
