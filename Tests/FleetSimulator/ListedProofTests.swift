import BackendStore
import Base
import CurlTransport
import Scenario
import Store
import Support
import Testing

@testable import FleetSimulator

/// Proofs by a store that is read as a whole, and by pages of any form.
@Suite struct ListedProofTests {
  private static func uuid(_ number: Int) -> UUID128 { UUID128(high: 0x4000, low: UInt64(number) | 1 << 63) }

  private func proof(_ lines: [String]) throws -> (proof: ListedProof, folder: TemporaryFolder) {
    let folder = try TemporaryFolder()
    try folder.write(Array((lines.joined(separator: "\n") + "\n").utf8), to: "stored")
    var verification = DialectVerification()
    verification.file = folder.file("stored")
    let view = try #require(StoreSource(verification).view)
    return (ListedProof(ViewSource(view), devices: ["a", "b", "c"]), folder)
  }

  @Test func oneReadingProvesAllDevices() throws {
    let rows = [("a", 3), ("b", 1), ("a", 2), ("a", 3), ("stranger", 9), ("b", 7)].map { device, number in
      #"{"device":"\#(device)","uuid":"\#(Self.uuid(number).text)","lat":\#(number)}"#
    }
    let (proof, folder) = try proof(rows)
    let keys = [1, 2, 3].map { PointKey(recordedAt: 0, uuid: Self.uuid($0)) }
    #expect(proof.missing(keys, of: "a")?.map(\.uuid) == [Self.uuid(1)])
    #expect(proof.holder(of: Self.uuid(1)) == "b" && proof.holder(of: Self.uuid(9)) == nil)
    var seen: [UUID128] = []
    proof.forEachRecord(of: "a") { seen.append($1) }
    #expect(seen == [2, 3, 3].map(Self.uuid))
    let sent = try #require(RecordContent(sent: Array(#"{"coords":{"latitude":2.5}}"#.utf8)))
    #expect(proof.change(of: sent, Self.uuid(2), of: "a") == "latitude 2.0 instead of 2.5" && proof.comparesContents)
    #expect(proof.missing(keys, of: "c")?.count == 3 && proof.refusal == nil)
    withExtendedLifetime(folder) {}
  }

  /// A source that is read device by device, and where nothing but "b" has the record 1.
  private final class Shelf: ListingSource {
    let isOfAllDevices = false

    func read(_ device: String, _ take: (_ device: String?, ListedEntry) -> Void) -> String? {
      let content = RecordContent(sent: Array(#"{"lat":1.5}"#.utf8))
      take(device, ListedEntry(uuid: ListedProofTests.uuid(device == "b" ? 1 : 2), content: content))
      return nil
    }
  }

  @Test func aSearchForWhatIsMissingForgetsNoContents() throws {
    let proof = ListedProof(Shelf(), devices: ["a", "b", "c"])
    let sent = try #require(RecordContent(sent: Array(#"{"lat":2.5}"#.utf8)))
    #expect(proof.missing([PointKey(recordedAt: 0, uuid: Self.uuid(1))], of: "a")?.count == 1)
    #expect(proof.holder(of: Self.uuid(1)) == "b")
    #expect(proof.change(of: sent, Self.uuid(2), of: "a") == "latitude 1.5 instead of 2.5")
    #expect(proof.missing([], of: "b") == [] && proof.change(of: sent, Self.uuid(1), of: "b") != nil)
    #expect(proof.change(of: sent, Self.uuid(2), of: "a") == nil, "its turn is over")
  }

  @Test func aStoreWithoutUUIDsProvesNothing() throws {
    let (proof, folder) = try proof([#"{"device":"a","number":1}"#])
    #expect(proof.missing([PointKey(recordedAt: 0, uuid: Self.uuid(1))], of: "a") == nil)
    #expect(proof.refusal?.contains("no entry has a uuid") == true)
    withExtendedLifetime(folder) {}
  }

  @Test(arguments: [
    ("{\"uuid\":\"U\"}\n{\"uuid\":\"U\"}\n", "$[*].uuid", 2), ("{\"uuid\":\"U\"}", "$[*].uuid", 1),
    ("{\"rows\":[{\"id\":\"U\"}]}", "$.rows[*].id", 1), ("[]", "$[*].uuid", 0), ("{\"rows\":[]}", "$.rows[*].id", 0),
    ("{\"uuid\":\"U\"}\nnot JSON\n", "$[*].uuid", nil), ("{\"lines\":[]}", "$.rows[*].id", nil),
  ])
  func pagesAreReadAsJSONOrAsLines(body: String, path: String, count: Int?) {
    let bytes = Array(body.split(separator: "U").joined(separator: Self.uuid(1).text).utf8)
    var found = 0
    let page = ListedPage(uuids: path, putAside: nil, fields: [])
    let problem = ListedPage.value(bytes).map { page.read($0, bytes) { _ in found += 1 } } ?? "no JSON"
    #expect(problem == nil ? found == count : count == nil, "\(problem ?? "")")
  }

  @Test func aCursorLeadsThroughThePages() throws {
    let server = try BareServer { request in
      let line = request.lines[0]
      let number = Int(line.split(separator: "=").last?.prefix { $0.isNumber } ?? "") ?? 0
      let next = number < 2 ? "\"\(number + 1)\"" : "null"
      return .ok("{\"rows\":[{\"uuid\":\"\(Self.uuid(number + 1).text)\"}],\"next\":\(next)}")
    }
    let client = try BlockingHTTPClient(.init(), keepsHeads: true)
    var question = QuerySource.Question(url: server.url + "list?after={cursor}", path: "$.rows[*].uuid")
    question.next = "$.next"
    let source = QuerySource(client, question, headers: [], seed: 1, deviceCount: 1)
    var found: [UUID128] = []
    #expect(source.read("a") { found.append($1.uuid) } == nil)
    #expect(found == [1, 2, 3].map(Self.uuid))
  }
}
