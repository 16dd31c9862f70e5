/// One thing to be done in the store, whole or not at all, in the order of submission.
package enum StoreJob: Sendable {
  case ingest(IngestBatch)
  case order(CommandOrder)
  /// For an answer without records: at most `limit` commands are marked as sent.
  case takeCommands(DeviceIdentity, limit: Int)
  /// The device has shown that it read the answer that carried them.
  case markDelivered(DeviceIdentity, ids: [Int64])
  /// The answer that carried them was not delivered; they are due again.
  case returnCommands(DeviceIdentity, ids: [Int64])
  case setTags(DeviceIdentity, [String])
  case beginFamily(TokenFamily)
  case rotate(TokenRotation)
  case checkToken(DeviceIdentity, TokenCredential)
  /// Neither access nor refresh tokens of these families are taken any more.
  case revokeTokens(TokenSelection)
  /// Access tokens issued until now are refused as expired; refresh tokens go on.
  case expireTokens(TokenSelection)
  case keepLog(DeviceLog)
  /// Deletes the device with all that is its own. Tokens that it still shows are refused with `deviceDeleted` from then on;
  /// without a token its name is that of a new device. `changed(0)` when there is none.
  case delete(DeviceIdentity)
  /// Forgets records that were put aside, the latest first and at most `limit`.
  case clearQuarantine(QuarantineSelection, limit: Int)
  /// Forgets everything of one run, or of all.
  case reset(run: String?)
  /// For a store in memory, which only the writer can read: called after its group, on the writer's thread. Also after a
  /// group that was not committed, with what was there before it; only a file that cannot be opened is not read.
  case read(@Sendable (StoreReader) -> Void)

  /// What the job occupies in a mailbox, about.
  package var byteCount: Int {
    switch self {
    case .ingest(let batch): 512 + batch.bytes.count + batch.parameters.count + batch.points.count * 128
    case .order(let order): 512 + order.command.count
    case .rotate(let rotation): 512 + rotation.answer.count
    case .keepLog(let log): 512 + log.bytes.count
    case .markDelivered(_, let ids), .returnCommands(_, let ids): 512 + ids.count * 8
    case .setTags(_, let tags): 512 + tags.count * 64
    case .takeCommands, .beginFamily, .checkToken, .revokeTokens, .expireTokens, .delete, .clearQuarantine, .reset,
      .read:
      512
    }
  }

  /// How many records it brings, for the size of a group.
  package var rowCount: Int {
    guard case .ingest(let batch) = self else { return 1 }
    return max(1, batch.points.count + batch.quarantined.count)
  }
}
