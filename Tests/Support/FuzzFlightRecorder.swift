import Glibc

/// What the fuzzer is working on, where a signal handler can find it: a trap, a read beyond the guard page, an abort of
/// the address sanitizer and a hang end the process, and then the input that did it must still be told.
package enum FuzzFlightRecorder {
  /// Longer inputs are told by their beginning; seed and iteration give them back whole.
  private static let capacity = 1 << 16
  nonisolated(unsafe) private static var isInstalled = false
  nonisolated(unsafe) private static var seed: UInt64 = 0
  nonisolated(unsafe) private static var iteration = 0
  nonisolated(unsafe) private static var count = 0
  nonisolated(unsafe) private static let input = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
  nonisolated(unsafe) private static let text = UnsafeMutablePointer<CChar>.allocate(capacity: capacity * 2 + 256)

  /// From here on a fatal signal tells the current input. `alarm` counts as one: it stands for a hang. There is one
  /// recorder for the process, so from here on only one thread may fuzz.
  package static func install() {
    unsafe isInstalled = true
    unsafe text.initialize(repeating: 0, count: capacity * 2 + 256)
    for number in [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGALRM] {
      signal(number) { number in
        FuzzFlightRecorder.tell(number)
        signal(number, SIG_DFL)
        raise(number)
      }
    }
  }

  /// Without `install` nothing is noted, and tests may fuzz in parallel.
  package static func note(seed: UInt64, iteration: Int, input: [UInt8]) {
    guard unsafe isInstalled else { return }
    unsafe self.seed = seed
    unsafe self.iteration = iteration
    unsafe count = min(input.count, capacity)
    for index in unsafe 0..<count { unsafe self.input[index] = input[index] }
  }

  /// Uses only prepared memory and write(2), as a signal handler must (POSIX.1-2017 §2.4.3).
  private static func tell(_ signal: Int32) {
    var length = 0
    append("\nfatal signal ", &length)
    append(decimal: UInt64(signal), &length)
    append(", seed ", &length)
    append(decimal: unsafe seed, &length)
    append(" iteration ", &length)
    append(decimal: unsafe UInt64(iteration), &length)
    append("\nhex ", &length)
    for index in unsafe 0..<count {
      append(hexDigit: unsafe input[index] >> 4, &length)
      append(hexDigit: unsafe input[index] & 0xF, &length)
    }
    append("\n", &length)
    _ = unsafe write(STDERR_FILENO, text, length)
  }

  private static func append(_ piece: StaticString, _ length: inout Int) {
    for index in 0..<piece.utf8CodeUnitCount {
      unsafe text[length] = unsafe CChar(bitPattern: piece.utf8Start[index])
      length += 1
    }
  }

  private static func append(hexDigit digit: UInt8, _ length: inout Int) {
    unsafe text[length] = CChar(bitPattern: digit < 10 ? 0x30 + digit : 0x61 + digit - 10)
    length += 1
  }

  private static func append(decimal number: UInt64, _ length: inout Int) {
    if number >= 10 { append(decimal: number / 10, &length) }
    append(hexDigit: UInt8(number % 10), &length)
  }
}
