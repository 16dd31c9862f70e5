import Glibc
import JSON
import Support
import Testing
import Threaded

@testable import CommandLine

/// Servers whose store is a PostgreSQL database, as processes that are talked to over sockets.
@Suite(
  .waits, .timeLimit(.minutes(10)), .enabled(if: PostgresCluster.isThere, "install the package postgresql"))
struct ServedDatabaseTests {
  private let database: String

  init() throws { database = try PostgresCluster.shared.get().place() }

  private func node(_ flags: [String] = []) throws -> DatabaseNode { try DatabaseNode(["--data", database] + flags) }

  @Test func whatWasAcknowledgedIsThereAfterKill9() throws {
    let first = try node()
    #expect(try first.upload(1...3, of: "phone").answer().body["accepted"] == .integer(3))
    let wait = try first.send("POST", "/admin/v1/await", #"{"device":"phone","atLeast":3,"timeout":"20s"}"#)
    #expect(try wait.answer().status == 200)
    first.killAtOnce()
    let second = try node()
    #expect(try second.uuids(of: "phone") == [1, 2, 3].map(DatabaseNode.uuid))
    #expect(try second.upload(3...4, of: "phone").answer().body["duplicate"] == .integer(1))
    #expect(try second.ask("GET", "/admin/v1/stats")["records"] == .integer(4))
    #expect(try second.ask("GET", "/readyz") == .object(["status": .string("ready")]))
    #expect(second.stop() == 0)
  }

  @Test func severalServersHaveOneStore() throws {
    let (one, other) = (try node(), try node())
    #expect(try one.upload(1...2, of: "phone").answer().status == 200)
    #expect(try other.uuids(of: "phone") == [1, 2].map(DatabaseNode.uuid))
    // The same records to both at the same time.
    let calls = [try one.upload(3...40, of: "phone"), try other.upload(3...40, of: "phone")]
    let receipts = try calls.map { try $0.answer().body }
    let accepted = receipts.map { if case .integer(let count)? = $0["accepted"] { count } else { Int64(0) } }
    #expect(accepted.reduce(0, +) == 38)
    #expect(try one.uuids(of: "phone") == (1...40).map(DatabaseNode.uuid))
    #expect(try other.ask("GET", "/admin/v1/stats")["records"] == .integer(40))
  }

  @Test func aTokenOfOneServerIsGoodAtTheOther() throws {
    let (one, other) = (try node(["--auth", "required"]), try node(["--auth", "required"]))
    let registration = #"{"org":"acme","uuid":"phone","model":"m","manufacturer":"f","version":"15"}"#
    let token = try #require(try one.ask("POST", "/api/register", registration)["accessToken"]?.string)
    #expect(try other.upload(1...2, of: "phone", token: token).answer().status == 200)
    #expect(try other.upload(1...2, of: "phone", token: token + "x").answer().status == 401)
    #expect(try one.uuids(of: "phone").count == 2)
  }

  @Test func keysOfAProviderOutliveTheServerThatMadeThem() throws {
    let flags = ["--auth", "required", "--identity", "own"]
    let (one, other) = (try node(flags), try node(flags))
    let registration = #"{"org":"acme","uuid":"phone","model":"m","manufacturer":"f","version":"15"}"#
    var tokens: [String] = []
    for (node, count) in [(one, 2), (other, 3), (one, 4)] {
      #expect(try node.ask("POST", "/admin/v1/tokens/rotate-keys") == .object(["keys": .integer(Int64(count))]))
      tokens.append(try #require(try node.ask("POST", "/api/register", registration)["accessToken"]?.string))
    }
    one.killAtOnce()
    let third = try node(flags)
    for (node, base) in [(other, 0), (third, 3)] {
      for (number, token) in tokens.enumerated() {
        let record = base + number + 1
        #expect(try node.upload(record...record, of: "phone", token: token).answer().status == 200)
      }
    }
    let sets = try [other, third].map { try $0.ask("GET", "/.well-known/jwks.json") }
    #expect(sets[0] == sets[1])
    guard case .array(let keys)? = sets[0]["keys"] else { return #expect(Bool(false)) }
    #expect(keys.count == 4)
    #expect(try third.uuids(of: "phone").count == 6)
  }

  @Test func inspectCountsADatabase() throws {
    let server = try node()
    #expect(try server.upload(1...5, of: "phone").answer().status == 200)
    let table = CommandCall(["inspect", database])
    #expect(table.code == .ok && table.error == "")
    #expect(table.output.contains("integrity    not checked"))
    #expect(table.output.contains("5 stored, 5 accepted, 0 duplicates"))
  }

  @Test func aPlaceThatCannotBeUsedIsNamedWithoutItsPassword() throws {
    let child = try DatabaseNode.start(["--data", "postgres://me:secret@127.0.0.1:1/points"])
    #expect(child.finish() != 0)
    #expect(child.output.contains("postgres://me@127.0.0.1:1/points: ") && child.output.contains("PGPASSWORD"))
    #expect(!child.output.contains("secret"))
  }
}
