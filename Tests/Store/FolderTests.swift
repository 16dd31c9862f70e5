import Database
import Glibc
import Store
import Support
import Testing

@Suite struct FolderTests {
  private func code(_ body: () throws -> Void) -> StoreError.Code? {
    do {
      try body()
      return nil
    } catch let error as StoreError {
      return error.code
    } catch {
      return nil
    }
  }

  @Test func aFolderIsMadePrivate() throws {
    let folder = try TemporaryFolder()
    _ = try SQLiteStore(StoreConfiguration(folder: folder.path + "/a/b"))
    var status = stat()
    #expect(unsafe stat(folder.path + "/a/b", &status) == 0)
    #expect(status.st_mode & 0o777 == 0o700)
  }

  @Test func aFileInThePathIsTheCause() throws {
    let folder = try TemporaryFolder()
    try folder.write([], to: "file")
    for path in [folder.file("file"), folder.file("file/data")] {
      #expect {
        _ = try SQLiteStore(StoreConfiguration(folder: path))
      } throws: { error in
        (error as? StoreError)?.message.hasSuffix(
          "\(path): Not a directory; a part of this path is a file: remove it, or choose another folder with --data")
          == true
      }
    }
  }

  @Test func aFolderInUseIsRefusedWithTheOwner() throws {
    let folder = try TemporaryFolder()
    let first = try SQLiteStore(StoreConfiguration(folder: folder.path))
    #expect {
      _ = try SQLiteStore(StoreConfiguration(folder: folder.path))
    } throws: { error in
      let error = error as? StoreError
      return error?.code == .folderInUse && error?.message.contains("process \(getpid());") == true
    }
    #expect(first.ingest(Sample.batch([1])) == [1, 0, 0])
  }

  @Test func theLockGoesWithTheStore() throws {
    let folder = try TemporaryFolder()
    do {
      let first = try SQLiteStore(StoreConfiguration(folder: folder.path))
      #expect(first.ingest(Sample.batch([1])) == [1, 0, 0])
      first.close()
    }
    let second = try SQLiteStore(StoreConfiguration(folder: folder.path))
    #expect(second.ingest(Sample.batch([1])) == [0, 1, 0])
  }

  @Test func aNewerVersionIsRefusedAndNotTouched() throws {
    let folder = try TemporaryFolder()
    do {
      try SQLiteStore(StoreConfiguration(folder: folder.path)).close()
      let database = try Connection(path: folder.path + "/store.db")
      try database.execute("PRAGMA user_version = 9999")
    }
    #expect(code { _ = try SQLiteStore(StoreConfiguration(folder: folder.path)) } == .newerVersion)
    #expect(code { _ = try SQLiteReader(folder: folder.path) } == .newerVersion)
    #expect(try Connection(path: folder.path + "/store.db").integer("PRAGMA user_version") == 9_999)
  }

  @Test func aForeignDatabaseIsRefused() throws {
    let folder = try TemporaryFolder()
    do { try Connection(path: folder.path + "/store.db").execute("CREATE TABLE a(b)") }
    #expect(code { _ = try SQLiteStore(StoreConfiguration(folder: folder.path)) } == .foreignFile)
  }

  @Test func aFileWhereTheFolderShouldBeIsRefused() throws {
    let folder = try TemporaryFolder()
    do { try Connection(path: folder.path + "/file").execute("CREATE TABLE a(b)") }
    #expect(code { _ = try SQLiteStore(StoreConfiguration(folder: folder.path + "/file")) } == .folderNotUsable)
    #expect(code { _ = try SQLiteReader(folder: folder.path + "/nothing") } == .inputOutput)
  }

  @Test func aFolderOfOthersIsRefusedWithTheRemedyAndLeftAsItWas() throws {
    let folder = try TemporaryFolder()
    for name in ["b.txt", "a.txt", "c.txt", "d.txt"] { try folder.write([1], to: name) }
    #expect {
      _ = try SQLiteStore(StoreConfiguration(folder: folder.path))
    } throws: { error in
      let error = error as? StoreError
      return error?.code == .folderNotUsable && error?.message.contains("(a.txt, b.txt, c.txt, …)") == true
        && error?.message.contains("--data") == true
    }
    #expect(unsafe access(folder.file("lock"), F_OK) != 0 && access(folder.file("store.db"), F_OK) != 0)
  }

  @Test func filesOfTheFileSystemAndOfToolsInANewFolderAreIgnored() throws {
    let folder = try TemporaryFolder()
    try folder.write([1], to: ".keep")
    #expect(unsafe mkdir(folder.file("lost+found"), 0o700) == 0)
    do { try SQLiteStore(StoreConfiguration(folder: folder.path)).close() }
    // A copy beside the store does not make the folder that of others.
    try folder.write([1], to: "copy.tar")
    try SQLiteStore(StoreConfiguration(folder: folder.path)).close()
  }

  @Test func aReaderOfNothingIsToldWhatIsMissing() throws {
    let folder = try TemporaryFolder()
    #expect { _ = try SQLiteReader(folder: folder.path + "/no") } throws: { error in
      (error as? StoreError)?.message == "there is no folder \(folder.path)/no; name the --data folder of a server"
    }
    #expect { _ = try SQLiteReader(folder: folder.path) } throws: { error in
      (error as? StoreError)?.message == "\(folder.path) has no store.db; name the --data folder of a server"
    }
  }

  @Test func aReaderSeesWhatIsCommittedWhileTheStoreIsOpen() throws {
    let folder = try TemporaryFolder()
    let store = try SQLiteStore(StoreConfiguration(folder: folder.path))
    let reader = try SQLiteReader(folder: folder.path)
    #expect(try reader.counts().accepted == 0)
    #expect(store.ingest(Sample.batch([1, 2])) == [2, 0, 0])
    #expect(try reader.counts().accepted == 2)
    #expect(try reader.countStored() == 2)
    #expect(try reader.problems() == [])
  }
}
