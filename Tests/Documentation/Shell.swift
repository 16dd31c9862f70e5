import Support
import Threads

/// The shell of a reader: a process of its own, which a thread of its own waits for.
enum Shell {
  struct Outcome: Sendable {
    /// What it wrote on both outputs.
    let output: String
    let exitCode: Int32
  }

  /// Runs the text in bash. What has not ended after a minute is ended with exit code 124.
  static func run(_ text: String) async -> Outcome {
    await withCheckedContinuation { continuation in
      NamedThread.started("shell") {
        do { continuation.resume(returning: try wait(for: text)) } catch {
          continuation.resume(returning: Outcome(output: "\(error)", exitCode: -1))
        }
      }.detach()
    }
  }

  private static func wait(for text: String) throws -> Outcome {
    let child = try SpokenChild(["timeout", "-k", "5", "450", "bash", "-c", text])
    let exitCode = child.finish()
    return Outcome(output: child.output, exitCode: exitCode)
  }
}
