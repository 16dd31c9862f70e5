import Database
import Testing

/// What only a mistake in the program can do ends the process, in release builds as well.
@Suite struct MisuseTests {
  @Test func everyParameterMustBeBound() async {
    await #expect(processExitsWith: .failure) {
      var query = try Connection(path: ":memory:").prepare("SELECT ?, ?")
      var rows = query.start()
      rows.bind(1, 1 as Int64)
      _ = try rows.step()
    }
  }

  @Test func valuesOfTheRunBeforeAreGone() async {
    await #expect(processExitsWith: .failure) {
      var query = try Connection(path: ":memory:").prepare("SELECT ?")
      do {
        var rows = query.start()
        rows.bind(1, 1 as Int64)
        _ = try rows.step()
      }
      var again = query.start()
      _ = try again.step()
    }
  }

  @Test func parametersAndColumnsMustExist() async {
    await #expect(processExitsWith: .failure) {
      var query = try Connection(path: ":memory:").prepare("SELECT ?")
      var rows = query.start()
      rows.bind(2, 1 as Int64)
    }
    await #expect(processExitsWith: .failure) {
      var query = try Connection(path: ":memory:").prepare("SELECT 1")
      var rows = query.start()
      _ = try rows.step()
      _ = rows.integer(at: 1)
    }
  }

  @Test func aRowMustBeThereToBeRead() async {
    await #expect(processExitsWith: .failure) {
      var query = try Connection(path: ":memory:").prepare("SELECT 1")
      let rows = query.start()
      _ = rows.integer(at: 0)
    }
    await #expect(processExitsWith: .failure) {
      var query = try Connection(path: ":memory:").prepare("SELECT 1")
      var rows = query.start()
      while try rows.step() {}
      _ = rows.integer(at: 0)
    }
  }

  @Test func nothingStepsBeyondTheEnd() async {
    await #expect(processExitsWith: .failure) {
      var query = try Connection(path: ":memory:").prepare("SELECT 1")
      var rows = query.start()
      while try rows.step() {}
      _ = try rows.step()
    }
  }

  @Test func transactionsDoNotNest() async {
    await #expect(processExitsWith: .failure) {
      let connection = try Connection(path: ":memory:")
      try connection.transaction(.immediate) { () throws(DatabaseError) in
        try connection.transaction(.immediate) { () throws(DatabaseError) in }
      }
    }
  }

  @Test func migrationsAreNumberedWithoutGap() async {
    await #expect(processExitsWith: .failure) {
      _ = Schema(applicationID: 1, migrations: [Migration(1, "SELECT 1"), Migration(3, "SELECT 1")])
    }
    await #expect(processExitsWith: .failure) {
      _ = Schema(applicationID: 1, migrations: [Migration(1, "SELECT 1"), Migration(1, "SELECT 1")])
    }
  }
}
