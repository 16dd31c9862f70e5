import FoundationEssentials
import Support
import Testing

@testable import BackgroundGeolocation

/// The instance of an app.
@Suite struct SharedInstanceTests {
  /// SDK §20.1: an error is written although no level is configured.
  @Test func aFolderThatCannotBeUsedIsNamedInTheLog() async throws {
    let folder = try TemporaryFolder()
    let holder = try BGGeo(folder: folder.path, platform: LinuxPlatform(transport: .none))
    let bgGeo = BGGeo.makeShared(folder: folder.path)
    let log = try await bgGeo.logger.getLog()
    #expect(log.contains("‼️") && log.contains("\(folder.path) is not used, everything stays in memory"))
    holder.close()
    bgGeo.close()
  }

  @Test func aFolderThatCanBeUsedIsUsed() async throws {
    let folder = try TemporaryFolder()
    let bgGeo = BGGeo.makeShared(folder: folder.path)
    #expect(try await bgGeo.logger.getLog().isEmpty)
    bgGeo.close()
    #expect(FileManager.default.fileExists(atPath: "\(folder.path)/queue.db"))
  }
}
