package import Network
package import Store

/// What can be asked of the threads beside the session at any moment. A server without threads has nothing to tell.
package struct ServerProbes: Sendable {
  /// Why the store cannot commit.
  let outage: @Sendable () -> StoreOutage?
  /// The counters of all event loops together.
  let network: @Sendable () -> LoopFigures?
  /// The store's mailbox is full: a job would be refused.
  let isFull: @Sendable () -> Bool
  /// Jobs in that mailbox.
  let waitingJobs: @Sendable () -> Int

  package init(
    outage: @escaping @Sendable () -> StoreOutage? = { nil },
    network: @escaping @Sendable () -> LoopFigures? = { nil },
    isFull: @escaping @Sendable () -> Bool = { false }, waitingJobs: @escaping @Sendable () -> Int = { 0 }
  ) {
    self.outage = outage
    self.network = network
    self.isFull = isFull
    self.waitingJobs = waitingJobs
  }
}
