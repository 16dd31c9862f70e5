import FoundationEssentials
import HTTP1
import JSON
import ServerSupport
import Support
import Testing

@testable import IngestServer

/// The contract against the server: neither has what the other has not.
@Suite struct RouteTableTests {
  private let document: ContractDocument

  init() throws { document = try ContractDocument() }

  /// `POST /locations/{} uploadLocations`; the table forgets the names of parameters.
  private var served: [String] {
    Route.table.flatMap { route in
      route.paths.flatMap { pieces in
        let path = pieces.map { piece in if case .text(let text) = piece { text } else { "{}" } }
        return route.methods.map { "\($0.name) /\(path.joined(separator: "/")) \(route.name)" }
      }
    }
  }

  private var written: [String] {
    document.operations.map { operation in
      let pieces = operation.path.split(separator: "/").map { $0.hasPrefix("{") ? "{}" : String($0) }
      let name = operation.id.prefix { $0 != "_" }
      return "\(operation.method) /\(pieces.joined(separator: "/")) \(name)"
    }
  }

  @Test func theContractHasEveryRouteAndNoOther() {
    #expect(served.sorted() == written.sorted())
  }

  @Test func operationIdentifiersAreUnique() {
    let ids = document.operations.map(\.id)
    #expect(Set(ids).count == ids.count)
  }

  @Test func theServerServesThatVeryFile() throws {
    let server = try IngestServer(.loopback())
    defer { server.stop() }
    let request = "GET /openapi.json HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
    let answer = try ContractAnswer(to: Array(request.utf8), port: server.port)
    #expect(answer.status == 200 && answer.mediaType == "application/json")
    #expect(answer.body == document.bytes)
  }

  /// Codes are written where the answers are made; `token_…` and the codes of other tables are put together there.
  @Test func theContractKnowsEveryErrorCode() throws {
    let folder = "\(ContractDocument.root)/Sources/Server/IngestServer"
    let pattern = /(?:error|unauthorized|unfulfilled)\(\s*(?:[a-z0-9.]+,\s*)?"([a-z_]+)"/
    var codes: Set<String> = []
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder) where name.hasSuffix(".swift") {
      let source = try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
      for match in source.matches(of: pattern) { codes.insert(String(match.1)) }
    }
    // Any status can have these two; the file's description says so.
    codes.subtract(["fault", "refresh_broken"])
    #expect(codes.count > 40)
    let text = String(decoding: document.bytes, as: UTF8.self)
    for code in codes.sorted() { #expect(text.contains("\"\(code)\""), "\(code)") }
  }
}
