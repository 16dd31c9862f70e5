/// A command to be written into the answer that is about to be sent.
package struct TakenCommand: Equatable, Sendable {
  package let id: Int64
  package let command: [UInt8]

  package init(id: Int64, command: [UInt8]) {
    self.id = id
    self.command = command
  }
}
