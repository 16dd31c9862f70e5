import Base
import Testing

@testable import FleetSimulator
@testable import Reports

@Suite struct ProgressTextTests {
  private let progress = RunProgress(
    share: 0.25, devices: 2_000, uploadsPerSecond: 512, p95Milliseconds: 147, backlog: 490, errors: 4)

  private func bar(_ width: Int) -> String { ProgressText.bar(progress, left: .seconds(61), width: width) }

  @Test func everythingStandsWhereThereIsRoom() {
    #expect(
      bar(200)
        == "█████░░░░░░░░░░░░░░░ 25 %  2,000 devices  512 uploads/s  p95 147 ms  backlog 490  errors 4  1m 01s left")
  }

  @Test func connectionsToARealServerAreCounted() {
    var progress = progress
    progress.connections = 1_998
    #expect(ProgressText.line(progress, left: nil).contains("  1,998 connections  backlog 490  "))
  }

  @Test func whatIsLeftOfSettlingIsTold() {
    var progress = progress
    (progress.isSettling, progress.settlesFor) = (true, .seconds(252))
    #expect(ProgressText.line(progress, left: .seconds(9)).hasSuffix("errors 4  4m 12s left at most"))
  }

  /// A line that runs over the edge cannot be renewed: each renewal would begin another one.
  @Test func aNarrowTerminalLosesTheLeastImportant() {
    #expect(bar(80) == "█████░░░░░░░░░░░░░░░ 25 %  512 uploads/s  backlog 490  errors 4  1m 01s left")
    #expect(bar(50) == "█████░░░░░░░░░░░░░░░ 25 %  errors 4  1m 01s left")
    #expect(bar(20) == "25 %  1m 01s left")
    #expect(bar(7) == "25 %  1")
  }

  @Test func noLineIsLongerThanItsTerminal() {
    for width in 0...120 { #expect(bar(width).count <= width) }
  }
}
