import Contract
import IngestServer
import JSON
import ServerSupport
import Support
import Testing

/// Every operation of the contract, driven by its own examples over a socket.
@Suite struct ExampleTests {
  private let document: ContractDocument

  init() throws { document = try ContractDocument() }

  /// What there has to be before the examples mean something: the first good example of each.
  private static let prepared = [
    ("registerDevice", "phone"), ("uploadLocations", "single"), ("uploadLocations", "quarantined"),
    ("uploadDeviceLog", "form"), ("listQuarantine", "all"), ("listDeviceLogs", "all"),
  ]

  /// Each in a run of its own, so that none finds what another has left. Those of a provider share a server, whose key takes long to
  /// make; each logs in anew.
  @Test func everyExampleIsAnsweredAsTheContractSays() throws {
    let plain = try server([])
    var posing: [(flags: [JSONObject.Member], server: IngestServer)] = []
    defer { for server in [plain] + posing.map(\.server) { server.stop() } }
    for (number, example) in document.operations.flatMap(\.cases).enumerated() {
      guard example.flags.isEmpty else {
        let known = posing.first { $0.flags == example.flags }?.server
        let server = try known ?? server(example.flags)
        let isShared = example.flags.contains { $0.key == "identity" }
        if isShared, known == nil { posing.append((example.flags, server)) }
        defer { if !isShared { server.stop() } }
        let links = try logIn(server, for: example)
        try check(example, ContractAnswer(to: example.request(links), port: server.port))
        continue
      }
      let run = "example-\(number)"
      let links = try prepare(plain, run)
      try check(example, ContractAnswer(to: example.request(links, run: run), port: plain.port))
    }
  }

  private func check(_ example: ContractCase, _ answer: ContractAnswer) throws {
    let problems = try document.problems(of: answer, to: example)
    #expect(problems == [], "\(problems)")
  }

  @Test func nothingLacksAnExample() { #expect(document.missingExamples() == []) }

  @Test func examplesFitTheirSchemas() { #expect(document.unfitExamples == []) }

  @Test func administrationWithoutItsTokenIsRefusedEverywhere() throws {
    let server = try server([JSONObject.Member(key: "admin-token", value: .string("secret"))])
    defer { server.stop() }
    for operation in document.operations where operation.isAdministrative {
      let example = try #require(operation.cases.first)
      let answer = try ContractAnswer(to: example.request(), port: server.port)
      #expect(answer.status == 401, "\(operation.id)")
      #expect(try document.problems(of: answer, to: operation) == [], "\(operation.id)")
    }
  }

  /// What a provider has given out at the logins of its examples.
  private func logIn(_ server: IngestServer, for example: ContractCase) throws -> FollowedLinks {
    var links = FollowedLinks()
    guard example.flags.contains(where: { $0.key == "identity" }) else { return links }
    for other in document.operations.flatMap(\.cases)
    where other.isGood && other.flags == example.flags && other.name == "login" {
      try links.follow(other.operation, ContractAnswer(to: other.request(), port: server.port))
    }
    return links
  }

  private func prepare(_ server: IngestServer, _ run: String) throws -> FollowedLinks {
    var links = FollowedLinks()
    let cases = document.operations.flatMap(\.cases)
    for (operation, name) in Self.prepared {
      let example = try #require(cases.first { $0.operation.id == operation && $0.name == name })
      let answer = try ContractAnswer(to: example.request(links, run: run), port: server.port)
      try #require(answer.status == 200, "\(example): \(answer.text)")
      try links.follow(example.operation, answer)
    }
    return links
  }

  private func server(_ flags: [JSONObject.Member]) throws -> IngestServer {
    var configuration = ServerConfiguration.loopback(loops: 1)
    for flag in flags {
      switch (flag.key, flag.value.string) {
      case ("auth", let mode?): configuration.authentication = try #require(.init(rawValue: mode))
      case ("policy", let policy?): configuration.policy = try #require(.init(rawValue: policy))
      case ("identity", let name?):
        configuration.identity = IdentitySettings(try #require(IdentityProvider(rawValue: name)))
      case ("log-key", let key?): configuration.logKey = key
      case ("admin-token", let token?): configuration.adminToken = token
      case ("journal", "off"): configuration.journalShare = 0
      // The administration beside a proxy.
      case ("upstream", let url?): configuration.proxy = ProxyRole(upstream: url, judge: nil)
      default: Issue.record("the flag \(flag.key) \(flag.value.text) is not known here")
      }
    }
    return try IngestServer(configuration)
  }
}
