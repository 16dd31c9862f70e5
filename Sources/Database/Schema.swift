/// The tables of one application: whose file it is, and how it came to be, step by step.
package struct Schema: Sendable {
  /// Stands in the header of the file, https://sqlite.org/pragma.html#pragma_application_id; not 0.
  package let applicationID: Int32
  let migrations: [Migration]

  /// The numbers are 1, 2, 3 … in this order.
  package init(applicationID: Int32, migrations: [Migration]) {
    precondition(applicationID != 0, "0 is the identity of a file that nobody claimed")
    precondition(
      migrations.map(\.number).elementsEqual(1...max(1, migrations.count)), "migrations are numbered 1, 2, 3 …")
    self.applicationID = applicationID
    self.migrations = migrations
  }

  /// The version that this code knows.
  package var version: Int { migrations.count }
}
