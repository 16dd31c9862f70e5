import Base
package import Store
import Synchronization

/// Commands between the commit that marks them as sent and the session that writes them into its answer. When the client
/// disconnects in between, they have not left the server; the later of the two events then returns them to the queue.
package final class UndeliveredCommands: Sendable {
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

  /// The result came to a session that had ended. When it carried nothing, it passed here before the session said so.
  func missed(at address: SessionAddress) { _ = books.withLock { $0.orphans.removeValue(forKey: address) } }

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

/// The time until which any command may be waiting for any device. While no commands are queued, answers that need nothing of
/// the store do not go there.
package final class LatestCommandExpiry: Sendable {
  private let milliseconds = Atomic(WallInstant.earliest.millisecondsSince1970)

  /// Of a store without orders; one that may hold some of an earlier process is asked for the last of them.
  package init() {}

  func extend(to expiry: WallInstant) {
    milliseconds.max(expiry.millisecondsSince1970, ordering: .relaxed)
  }

  func isAhead(of now: WallInstant) -> Bool { now.millisecondsSince1970 < milliseconds.load(ordering: .relaxed) }
}

/// Commands that an answer carries to a device, until it is known whether they arrived.
struct CarriedCommands: Equatable {
  let device: DeviceIdentity
  let ids: [Int64]

  /// Nil for none.
  init?(_ commands: [TakenCommand], to device: DeviceIdentity) {
    guard !commands.isEmpty else { return nil }
    self.init(ids: commands.map(\.id), to: device)
  }

  init(ids: [Int64], to device: DeviceIdentity) {
    self.device = device
    self.ids = ids
  }
}
