import HTTP1
import JSON
import Support
import Testing

@testable import ControlRoom

/// openapi/control-room.json against the room: neither has what the other has not, and each example is answered as it says.
@Suite struct RoomContractTests {
  private let document: ContractDocument

  init() throws { document = try ContractDocument("control-room.json") }

  @Test func theContractHasEveryRouteAndNoOther() {
    let served = RoomRoute.table.map { route in
      "\(route.method.name) /\(route.path.map { $0 ?? "{}" }.joined(separator: "/")) \(route.name)"
    }
    let written = document.operations.map { operation in
      let pieces = operation.path.split(separator: "/").map { $0.hasPrefix("{") ? "{}" : String($0) }
      return "\(operation.method) /\(pieces.joined(separator: "/")) \(operation.id)"
    }
    #expect(served.sorted() == written.sorted())
    #expect(Set(document.operations.map(\.id)).count == document.operations.count)
  }

  @Test func theContractNamesEveryParameter() throws {
    for route in RoomRoute.table {
      let operation = try #require(document.operations.first { $0.id == route.name })
      let written = operation.parameters.filter { $0["in"]?.string == "query" }.compactMap { $0["name"]?.string }
      #expect(written == route.query, "\(route.name)")
    }
  }

  @Test func theRoomServesThatVeryFile() throws {
    let stage = try RoomStage(mode: "accelerated")
    defer { stage.stop() }
    #expect(try stage.get("/openapi.json").body == document.bytes)
  }

  /// All against one run that stands still, in the order of the file; others under the flags that they name.
  @Test func everyExampleIsAnsweredAsTheContractSays() throws {
    let plain = try RoomStage()
    defer { plain.stop() }
    try plain.waitForView()
    let cases = document.operations.flatMap(\.cases)
    #expect(cases.count > 50)
    for example in cases {
      if example.flags.isEmpty {
        try check(example, plain.port)
      } else {
        let flags = Dictionary(uniqueKeysWithValues: example.flags.map { ($0.key, $0.value.string) })
        let stage = try RoomStage(token: flags["dashboard-token"] ?? nil, mode: flags["mode"] ?? "accelerated")
        defer { stage.stop() }
        try check(example, stage.port)
      }
    }
  }

  private func check(_ example: ContractCase, _ port: UInt16) throws {
    let answer = try ContractAnswer(to: example.request(), port: port)
    var problems = try document.problems(of: answer, to: example)
    if let words = example.example["value"]?["error"]?["message"], try answer.json()["error"]?["message"] != words {
      problems.append("\(example): another message than \(words.text): \(answer.text)")
    }
    #expect(problems == [], "\(problems)")
  }

  @Test func aParameterThatIsNotKnownIsAnsweredAsTheContractSays() throws {
    let stage = try RoomStage(mode: "accelerated")
    defer { stage.stop() }
    for operation in document.operations where operation.method == "GET" {
      let path = operation.path.replacing("{file}", with: "room.js").replacing("{phone}", with: "phone-1")
      let request = "GET \(path)?nope=1 HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
      let answer = try ContractAnswer(to: Array(request.utf8), port: stage.port)
      #expect(answer.status == 400, "\(operation.id): \(answer.text)")
      #expect(try document.problems(of: answer, to: operation) == [], "\(operation.id)")
    }
  }

  @Test func nothingLacksAnExample() {
    #expect(document.missingExamples(besides: ["early", "foreign", "noToken"]) == [])
  }

  @Test func examplesFitTheirSchemas() { #expect(document.unfitExamples == []) }

  @Test func withATokenEverythingButThePageIsClosed() throws {
    let stage = try RoomStage(token: "secret", mode: "accelerated")
    defer { stage.stop() }
    for route in RoomRoute.table {
      let path = "/" + route.path.map { $0 ?? "x" }.joined(separator: "/")
      let request = "\(route.method.name) \(path) HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
      #expect(try (stage.send(request).status == 401) == !route.isOpen, "\(route.name)")
    }
  }
}
