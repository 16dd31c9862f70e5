import Base
package import Store
import Synchronization

/// Commands between the commit that marks them as sent and the session that writes them into its answer. When the client
/// disconnects in between, they have not left the server; the later of the two events then returns them to the queue.
package final class UndeliveredCommands: Sendable {
  private struct Books {
    /// Results on their way to a session.
    var underway: [SessionAddress: [Int64]] = [:]
    /// Sessions that ended while the store was executing their jobs.
    var orphans: [SessionAddress: DeviceIdentity] = [:]
    var giveBack: (@Sendable (StoreJob) -> Void)?
  }

  private let books = Mutex(Books())

  package init() {}

  /// Sets the function that submits jobs to the store.
  package func open(_ giveBack: @escaping @Sendable (StoreJob) -> Void) { books.withLock { $0.giveBack = giveBack } }

  package func close() { books.withLock { $0.giveBack = nil } }

  /// Called when a result is about to be sent to a session. Every result must be passed here once, before `received` or
  /// `abandoned`.
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

  /// Called when the result has reached its session.
  func received(_ result: StoreResult, at address: SessionAddress) {
    guard !result.commands.isEmpty else { return }
    _ = books.withLock { $0.underway.removeValue(forKey: address) }
  }

  /// The result was for a session that has ended. A result without commands was committed before the session reported its end.
  func missed(at address: SessionAddress) { _ = books.withLock { $0.orphans.removeValue(forKey: address) } }

  /// Called when the session has ended while it waited for a result that may carry commands for this device.
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

/// The latest expiry of any queued command. Once it has passed, no command waits, and answers that need nothing else from the
/// store skip it.
package final class LatestCommandExpiry: Sendable {
  private let milliseconds = Atomic(WallInstant.earliest.millisecondsSince1970)

  /// For a store without orders; a store that may have some of an earlier process is asked for the last expiry.
  package init() {}

  func extend(to expiry: WallInstant) {
    milliseconds.max(expiry.millisecondsSince1970, ordering: .relaxed)
  }

  func isAhead(of now: WallInstant) -> Bool { now.millisecondsSince1970 < milliseconds.load(ordering: .relaxed) }
}

/// The commands in an answer to a device, until their delivery is known.
struct CarriedCommands: Equatable {
  let device: DeviceIdentity
  let ids: [Int64]

  /// Returns nil when there are none.
  init?(_ commands: [TakenCommand], to device: DeviceIdentity) {
    guard !commands.isEmpty else { return nil }
    self.init(ids: commands.map(\.id), to: device)
  }

  init(ids: [Int64], to device: DeviceIdentity) {
    self.device = device
    self.ids = ids
  }
}
