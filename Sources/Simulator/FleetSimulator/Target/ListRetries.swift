import Threads

/// How long a list is read again for missing records: the first seconds, and longer while more arrive.
package struct ListRetries {
  /// The pauses in milliseconds.
  private var pauses: ArraySlice<Int>
  private let longer: Int
  private var spare = 30
  /// While records arrive, a device may have none of them for a few pauses.
  private static let pausesMin = 3
  /// Each list is read once.
  package static let none = ListRetries([])

  package init(_ pauses: [Int] = [500, 1_000, 1_500], longer: Int = 1_000) {
    (self.pauses, self.longer) = (pauses[...], longer)
  }

  /// Waits for the next reading; returns false if there is none.
  mutating func wait() -> Bool {
    guard let pause = pauses.popFirst() else { return false }
    _ = Semaphore().wait(milliseconds: pause)
    return true
  }

  mutating func extend() {
    while spare > 0, pauses.count < ListRetries.pausesMin {
      spare -= 1
      pauses.append(longer)
    }
  }
}
