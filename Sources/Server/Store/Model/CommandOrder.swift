package import Base

/// A command that somebody wants delivered.
package struct CommandOrder: Sendable {
  /// To whom. A tag and everyone mean the devices that upload before the command expires, each once; a device that gets
  /// the tag after its first upload since the order is not served again.
  package enum Target: Hashable, Sendable {
    case device(DeviceIdentity)
    case tag(String, run: String)
    case everyone(run: String)
  }

  package var target: Target
  /// The command as it stands in the answer: a JSON array whose first element is the command's name.
  package var command: [UInt8]
  package var expiresAt: WallInstant
  /// An order with the key of one that is still open for the same target adds nothing.
  package var deduplicationKey: String?
  /// Nil for a command that leaves no mark in the records.
  package var proof: CommandProof?

  package init(
    target: Target, command: [UInt8], expiresAt: WallInstant, deduplicationKey: String? = nil,
    proof: CommandProof? = nil
  ) {
    self.target = target
    self.command = command
    self.expiresAt = expiresAt
    self.deduplicationKey = deduplicationKey
    self.proof = proof
  }
}
