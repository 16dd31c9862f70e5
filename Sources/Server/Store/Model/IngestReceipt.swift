/// What became of a batch. The three counts add up to the records of the request.
package struct IngestReceipt: Equatable, Sendable {
  package var accepted = 0
  package var duplicate = 0
  package var quarantined = 0
  /// Marked as sent in the transaction that stored the batch.
  package var commands: [TakenCommand] = []
  /// Commands of earlier answers that a record of the batch has proven.
  package var confirmed: [Int64] = []

  package init(
    accepted: Int = 0, duplicate: Int = 0, quarantined: Int = 0, commands: [TakenCommand] = [], confirmed: [Int64] = []
  ) {
    self.accepted = accepted
    self.duplicate = duplicate
    self.quarantined = quarantined
    self.commands = commands
    self.confirmed = confirmed
  }
}
