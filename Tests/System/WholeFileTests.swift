import Glibc
import Shell
import Support
import Testing

@Suite struct WholeFileTests {
  /// An earlier crash has left half of it, which all may read.
  @Test func whatACrashHasLeftIsReplacedWithItsMode() throws {
    let folder = try TemporaryFolder()
    try folder.write(Array("a longer text of before".utf8), to: "key.new")
    #expect(unsafe chmod(folder.file("key.new"), 0o644) == 0)
    try WholeFile.write(Array("secret".utf8), to: folder.file("key"), mode: 0o600)
    #expect(try folder.read("key") == Array("secret".utf8))
    var status = stat()
    #expect(unsafe stat(folder.file("key"), &status) == 0 && status.st_mode & 0o777 == 0o600)
    #expect(folder.names(in: ".") == ["key"])
  }

  @Test func aFileThatCannotBeWrittenIsNamed() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("missing/key")
    let failure = #expect(throws: WholeFile.Failure.self) { try WholeFile.write([1], to: path, mode: 0o600) }
    #expect(failure?.path == path + ".new" && failure?.code == ENOENT)
  }

  @Test func aSecretThatCannotBeMovedToItsNameIsNotLeftBehind() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("key")
    #expect(unsafe mkdir(path, 0o700) == 0)
    let failure = #expect(throws: WholeFile.Failure.self) { try WholeFile.write([1], to: path, mode: 0o600) }
    #expect(failure?.path == path && failure?.code == EISDIR && folder.names(in: ".") == ["key"])
  }

  @Test func whatCannotBeReadSaysWhy() throws {
    let folder = try TemporaryFolder()
    try folder.write([1], to: "file")
    #expect(unsafe symlink("loop", folder.file("loop")) == 0)
    #expect(UnreadableFile.reason(folder.file("file")) == nil && UnreadableFile.reason(folder.file("none")) == nil)
    #expect(UnreadableFile.reason(folder.file("file/none")) == nil)
    #expect(UnreadableFile.reason(folder.file("")) == "it is a folder")
    #expect(UnreadableFile.reason(folder.file("loop")) == "too many levels of symbolic links")
  }
}
