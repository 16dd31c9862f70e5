package import Store
import Synchronization

/// Looks after commands between the commit that marked them as sent and the session that writes them into its answer. When
/// the client goes in between, nobody would know that they never left; here the last of the two to come gives them back.
package final class CommandCustody: Sendable {
  private struct Books {
    /// Results on their way to a session.
    var underway: [SessionAddress: [Int64]] = [:]
    /// Sessions that ended while the store was at work for them.
    var orphans: [SessionAddress: DeviceIdentity] = [:]
    var giveBack: (@Sendable (StoreJob) -> Void)?
  }

  private let books = Mutex(Books())

  package init() {}

  /// From now on jobs can be handed to the store.
  package func open(_ giveBack: @escaping @Sendable (StoreJob) -> Void) { books.withLock { $0.giveBack = giveBack } }

  package func close() { books.withLock { $0.giveBack = nil } }

  /// A result is about to be sent to a session. Every result has to pass here once, before `received` or `abandoned`
  /// can mean it.
  package func committed(_ result: StoreResult, for address: SessionAddress) {
    let ids = result.commands.map(\.id)
    let job: (StoreJob, @Sendable (StoreJob) -> Void)? = books.withLock { books in
      if let device = books.orphans.removeValue(forKey: address) {
        return ids.isEmpty ? nil : books.giveBack.map { (.returnCommands(device, ids: ids), $0) }
      }
      if !ids.isEmpty { books.underway[address] = ids }
      return nil
    }
    if let (job, giveBack) = job { giveBack(job) }
  }

  /// The result has reached its session.
  func received(_ result: StoreResult, at address: SessionAddress) {
    guard !result.commands.isEmpty else { return }
    _ = books.withLock { $0.underway.removeValue(forKey: address) }
  }

  /// The session has ended while it waited for a result that may carry commands for this device.
  func abandoned(by address: SessionAddress, for device: DeviceIdentity) {
    let job: (StoreJob, @Sendable (StoreJob) -> Void)? = books.withLock { books in
      guard let ids = books.underway.removeValue(forKey: address) else {
        books.orphans[address] = device
        return nil
      }
      return books.giveBack.map { (.returnCommands(device, ids: ids), $0) }
    }
    if let (job, giveBack) = job { giveBack(job) }
  }
}

extension StoreResult {
  /// The commands that were marked as sent with it.
  fileprivate var commands: [TakenCommand] {
    switch self {
    case .ingested(let receipt): receipt.commands
    case .commands(let commands): commands
    default: []
    }
  }
}
