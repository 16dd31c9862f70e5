import Glibc

/// Lets time pass where time is what matters: before a blow that must fall at no particular moment, and between two tries.
enum Pause {
  static func milliseconds(_ count: Int) { _ = poll(nil, 0, Int32(count)) }
}
