import Base
import Glibc

/// What the processors have worked for this process, all of its threads together.
enum ProcessorClock {
  /// In steps of a microsecond: POSIX fixes CLOCKS_PER_SEC at a million.
  static func now() -> Nanoseconds { Nanoseconds(Int64(clock()) * 1_000) }
}
