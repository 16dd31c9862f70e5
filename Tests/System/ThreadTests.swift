import CLinux
import Glibc
import Synchronization
import Testing

@testable import Threads

@Suite struct ThreadTests {
  @Test func aThreadHasItsNameAndIsWaitedFor() throws {
    let seen = Mutex("")
    let thread = try NamedThread(name: "fifteen-letters") {
      let file = unsafe open("/proc/thread-self/comm", O_RDONLY)
      defer { close(file) }
      var name = [UInt8](repeating: 0, count: 32)
      let count = unsafe read(file, &name, name.count)
      seen.withLock { $0 = String(decoding: name.prefix(max(0, count)), as: UTF8.self) }
    }
    #expect(!thread.isCurrent)
    thread.join()
    #expect(seen.withLock { $0 } == "fifteen-letters\n")
  }

  @Test func aThreadThatKnowsItselfIsLetGo() throws {
    let own = Mutex<NamedThread?>(nil)
    let end = Word()
    try own.withLock { slot in
      slot = try NamedThread(name: "self") {
        // Not before the name is in its place.
        guard let thread = own.withLock({ $0 }), thread.isCurrent else { return end.come(false) }
        thread.detach()
        end.come(true)
      }
    }
    #expect(end.wait())
  }

  private struct Refusal: Error {}

  @Test func aThreadWorksWithWhatItHasOpened() {
    let word = Word()
    let thread = NamedThread.opening("opener") {
      7
    } run: {
      word.come($0 == 7)
    }
    #expect(word.wait())
    thread.join()
  }

  @Test func anErrorOfOpeningIsThrownToTheCaller() {
    #expect(throws: Refusal.self) {
      _ = try NamedThread.opening("opener") { () throws(Refusal) -> Int in
        throw Refusal()
      } run: { _ in
      }
    }
  }

  @Test func anInboxKeepsTheOrderAndWakesOnceForABurst() throws {
    let inbox = try ThreadInbox<Int>()
    inbox.post(1)
    inbox.post([2, 3])
    var wakes: eventfd_t = 0
    #expect(unsafe eventfd_read(inbox.wakeUp, &wakes) == 0)
    #expect(wakes == 1)
    var messages: [Int] = []
    inbox.collect(into: &messages)
    #expect(messages == [1, 2, 3])
    messages.removeAll()
    inbox.wake()
    #expect(unsafe eventfd_read(inbox.wakeUp, &wakes) == 0)
    inbox.collect(into: &messages)
    #expect(messages.isEmpty)
  }

  @Test(arguments: [-1_500, -1, 0]) func aWaitForATimeThatIsPastEndsAtOnce(milliseconds: Int) {
    #expect(!Semaphore().wait(milliseconds: milliseconds))
  }

  @Test func ringsBeforeAWaitAreOne() {
    let (waker, clock) = (Waker(), ContinuousClock())
    for _ in 0..<3 { waker.wake() }
    waker.wait()
    #expect(clock.measure { waker.wait(milliseconds: 20) } >= .milliseconds(20))
  }

  @Test func aNameTooLongIsRefused() async {
    await #expect(processExitsWith: .failure) { _ = try NamedThread(name: "sixteen-letters!") {} }
  }
}

/// A word from another thread, through a pipe.
private final class Word: Sendable {
  private let ends: [Int32]

  init() {
    var ends: [Int32] = [0, 0]
    precondition(unsafe pipe(&ends) == 0, "a test can have a pipe")
    self.ends = ends
  }

  deinit { for end in ends { close(end) } }

  func come(_ isGood: Bool) {
    var byte: UInt8 = isGood ? 1 : 0
    _ = unsafe write(ends[1], &byte, 1)
  }

  func wait() -> Bool {
    var byte: UInt8 = 0
    return unsafe read(ends[0], &byte, 1) == 1 && byte == 1
  }
}
