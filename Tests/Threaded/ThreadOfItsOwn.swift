package import Testing
import Threads

/// A test that waits for a child process, a socket or a clock runs on a thread of its own. Swift's concurrency has as many
/// threads as the machine has cores, and the tests behind it would wait as well.
package struct ThreadOfItsOwn: SuiteTrait, TestTrait, TestScoping {
  package let isRecursive = true

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await withTaskExecutorPreference(ThreadPerJob()) { try await function() }
  }
}

extension Trait where Self == ThreadOfItsOwn {
  /// Tests that wait.
  package static var waits: Self { ThreadOfItsOwn() }
}

private final class ThreadPerJob: TaskExecutor {
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    NamedThread.started("waiting test") { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }.detach()
  }
}
