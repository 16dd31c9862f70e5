import Base
import CurlTransport
import Support
import Synchronization
import Testing

@testable import FleetSimulator

/// A server that needs its time is read to the end, and one that has nothing new to tell is not waited for.
@Suite(.timeLimit(.minutes(1))) struct QueryProofTests {
  /// What its clock shows, in milliseconds.
  private final class SlowList: Sendable {
    private let milliseconds = Mutex<Int64>(0)
    private let pages: Int
    private let perPage: Int64
    private let repeats: Bool

    init(pages: Int, perPage: Int64, repeats: Bool = false) {
      (self.pages, self.perPage, self.repeats) = (pages, perPage, repeats)
    }

    var now: MonotonicInstant { MonotonicInstant(nanoseconds: milliseconds.withLock { $0 } * 1_000_000) }

    func answer(_ request: BareServer.Request) -> BareServer.Answer {
      milliseconds.withLock { $0 += perPage }
      let number = request.lines[0].split(separator: "=").last.flatMap { Int($0.prefix { $0.isNumber }) } ?? 0
      let digits = String(repeats ? 0 : number)
      let zeros = String(repeating: "0", count: 12 - digits.count)
      let body = "[\"00000000-0000-4000-8000-\(zeros)\(digits)\"]"
      let link = number + 1 < pages ? "Link: </list?page=\(number + 1)>; rel=\"next\"\r\n" : ""
      return .text("HTTP/1.1 200 OK\r\n\(link)Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
    }
  }

  /// How many records were found, and why not all.
  private func read(_ list: SlowList) throws -> (found: Int, refusal: String?) {
    let server = try BareServer { list.answer($0) }
    let client = try BlockingHTTPClient(TransportConfiguration(), keepsHeads: true) { list.now }
    let question = QuerySource.Question(url: server.url + "list?page=0", path: "$[*]")
    let proof = ListedProof(
      QuerySource(client, question, headers: [], seed: 1, deviceCount: 1), devices: ["cars-0"])
    var found = 0
    proof.forEachRecord(of: "cars-0") { _, _ in found += 1 }
    return (found, proof.refusal)
  }

  @Test func pagesThatComeSteadilyAreReadToTheLast() throws {
    let (found, refusal) = try read(SlowList(pages: 200, perPage: 400))
    #expect(found == 200 && refusal == nil, "\(refusal ?? "")")
  }

  @Test(arguments: [(Int64(700), false), (400, true)])
  func pagesThatComeTooSlowlyOrTellNothingNewAreNot(perPage: Int64, repeats: Bool) throws {
    let (found, refusal) = try read(SlowList(pages: 1_000, perPage: perPage, repeats: repeats))
    #expect(found == 0 && refusal?.contains("exceeded their time limit") == true, "\(refusal ?? "")")
  }
}
