import Synchronization

/// The memory of all bodies that are coming in, as far as they are longer than `free`: many clients that each send most of a
/// large body and then wait must not fill the memory. Short bodies never ask, so that devices get through meanwhile.
final class BodyBudget: Sendable {
  /// Bytes that every body may have.
  static let free = 65_536
  /// Taken at a time, so that the loops seldom meet here.
  static let step = 65_536

  private let limit: Int
  private let taken = Atomic(0)

  /// In bytes, for all loops together.
  init(limit: Int) { self.limit = limit }

  /// False when there is no room for one more step.
  func takeStep() -> Bool {
    let now = taken.add(Self.step, ordering: .relaxed).newValue
    guard now > limit else { return true }
    giveBack(Self.step)
    return false
  }

  func giveBack(_ bytes: Int) { taken.subtract(bytes, ordering: .relaxed) }
}
