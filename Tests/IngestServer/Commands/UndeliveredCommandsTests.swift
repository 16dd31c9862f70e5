import Base
import Store
import Synchronization
import Testing

@testable import IngestServer

/// Whichever comes first, the end of a session or the result for it: commands in it go back, and nothing is kept for long.
@Suite struct UndeliveredCommandsTests {
  private let commands = UndeliveredCommands()
  private let returned = Given()
  private let address = SessionAddress(loop: 0, connection: 7)
  private let device = DeviceIdentity(name: "a")

  private final class Given: Sendable {
    let ids = Mutex<[[Int64]]>([])
  }

  init() {
    let returned = returned
    commands.open { job in
      if case .returnCommands(_, let ids) = job { returned.ids.withLock { $0.append(ids) } }
    }
  }

  private func result(_ ids: [Int64]) -> StoreResult {
    .commands(ids.map { TakenCommand(id: $0, command: Array("[\"stop\"]".utf8)) })
  }

  @Test(arguments: [true, false])
  func commandsOfASessionThatHasEndedGoBack(endsFirst: Bool) {
    if endsFirst { commands.abandoned(by: address, for: device) }
    commands.committed(result([1, 2]), for: address)
    if !endsFirst { commands.abandoned(by: address, for: device) }
    commands.missed(at: address)
    #expect(returned.ids.withLock { $0 } == [[1, 2]])
  }

  /// The loop finds the end of the connection and the result in one turn, the end first.
  @Test func anEmptyResultThatPassedBeforeLeavesNothingBehind() {
    commands.committed(result([]), for: address)
    commands.abandoned(by: address, for: device)
    commands.missed(at: address)
    // What was left would take the next result for one of the ended session.
    commands.committed(result([3]), for: address)
    #expect(returned.ids.withLock { $0 } == [])
  }
}
