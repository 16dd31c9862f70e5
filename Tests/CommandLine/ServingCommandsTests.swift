import Base
import Glibc
import IngestServer
import JSON
import Support
import Synchronization
import Testing
import Threaded

@testable import CommandLine

@Suite(.waits) struct ServingCommandsTests {
  private func run(_ words: [String]) -> CommandCall { CommandCall(words) }

  @Test func healthcheckFailsWithoutAListener() throws {
    let server = try LocalServer.start()
    let url = server.url
    server.stop()
    let result = run(["healthcheck", "--url", url])
    #expect(result.code == .runtimeFailure && result.output == "")
    #expect(result.error.hasPrefix("rollingroad healthcheck: cannot connect to \(url): "))
  }

  @Test(arguments: [
    ("127.0.0.1:9", "http://127.0.0.1:9"), (":9", "http://127.0.0.1:9"), ("0.0.0.0:9", "http://127.0.0.1:9"),
    ("[::]:9", "http://[::1]:9"), ("10.1.2.3:80", "http://10.1.2.3:80"),
  ])
  func theProbedAddressIsReachableFromTheSameMachine(listen: String, url: String) throws {
    #expect(try ServerURL(listening: listen)?.description == url)
  }

  @Test(arguments: ["https://", "https://a/b", "127.0.0.1:80", "http://", "http://host.example", "http://127.0.0.1:0"])
  func otherURLsAreRefused(text: String) {
    #expect(ServerURL(text) == nil)
    #expect(run(["healthcheck", "--url", text]).code == .usage)
  }

  @Test func aPortThatOnlyTheKernelKnowsCannotBeProbed() {
    let result = run(["healthcheck", "--listen", "127.0.0.1:0"])
    #expect(result.code == .usage && result.error.contains("--url"))
  }

  @Test func aTokenComesFromTheRunningServer() throws {
    let server = try LocalServer.start()
    defer { server.stop() }
    let result = run(["token", "truck 7", "--url", server.url])
    #expect(result.code == .ok && result.error == "")
    let answer = try JSONValue(parsing: Array(result.output.utf8).span)
    #expect(answer["accessToken"] != nil && answer["refreshToken"] != nil)
  }

  @Test func anAdministratorsTokenIsNewEachTime() {
    let tokens = (0..<2).map { _ in run(["token", "--admin"]).output }
    #expect(tokens[0] != tokens[1] && tokens.allSatisfy { $0.count == 65 })
    #expect(run(["token", "--admin", "x"]).code == .usage)
    #expect(run(["token"]).code == .usage)
  }

  @Test func inspectLooksIntoTheFolderOfARunningServer() throws {
    let folder = try TemporaryFolder()
    let server = try LocalServer.start(in: folder.path)
    defer { server.stop() }
    let body = #"[{"coords":{"latitude":1,"longitude":2},"device_id":"a\u001b[2J"},7]"#
    let client = try LoopbackClient(port: server.port)
    try client.send(
      "POST /locations HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
    #expect(try client.receiveToEnd().text.hasPrefix("HTTP/1.1 200"))

    let table = run(["inspect", folder.path])
    #expect(table.code == .ok && table.output.contains("integrity    ok"))
    #expect(table.output.contains("1 stored, 1 accepted, 0 duplicates") && table.output.contains("notAnObject"))
    #expect(table.output.contains("a?[2J") && !table.output.contains("\u{1B}"))

    let json = try JSONValue(parsing: Array(run(["inspect", folder.path, "--json"]).output.utf8).span)
    #expect(json["storedCount"] == .integer(1) && json["quarantinedCount"] == .integer(1))
    #expect(json["problems"] == .array([]))
  }

  /// SQLite tells the problems of a file on several lines.
  @Test func inspectTellsAProblemOnOneLine() throws {
    let folder = try TemporaryFolder()
    let server = try LocalServer.start(in: folder.path)
    let records = (1_000..<1_400).map { number in
      "{\"timestamp\":\"2026-07-28T18:34:23.000Z\",\"coords\":{\"latitude\":1,\"longitude\":2},\"odometer\":\(number)}"
    }
    let body = "{\"device_id\":\"a\",\"location\":[\(records.joined(separator: ","))]}"
    let client = try LoopbackClient(port: server.port)
    try client.send(
      "POST /locations HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
    #expect(try client.receiveToEnd().text.hasPrefix("HTTP/1.1 200"))
    server.stop()
    let descriptor = unsafe open(folder.file("store.db"), O_WRONLY | O_CLOEXEC)
    let page = [UInt8](repeating: 0xA5, count: 4_096)
    let last = lseek(descriptor, 0, SEEK_END) - off_t(page.count)
    #expect(unsafe pwrite(descriptor, page, page.count, last) == page.count)
    close(descriptor)
    let call = run(["inspect", folder.path])
    #expect(call.output.contains("problem      *** in database main ***; "), "\(call.output)\(call.error)")
  }

  @Test func inspectSaysWhatIsWrongWithAFolder() {
    let result = run(["inspect", "/nowhere"])
    #expect(result.code == .runtimeFailure)
    #expect(result.error == "rollingroad inspect: there is no folder /nowhere; name the --data folder of a server\n")
    #expect(run(["inspect"]).code == .usage)
  }

  @Test(arguments: [
    ["--listen", "somewhere"], ["--data", ""], ["--admin-token", ""], ["--auth", "maybe"], ["--access-ttl", "0s"],
    ["--policy", "soft"], ["--loops", "0"], ["--max-body", "big"], ["--retain-days", "-1"], ["--idle-timeout", "x"],
    ["--body-timeout", "0s"], ["--body-rate", "0"], ["--body-grace", "fast"], ["--head-timeout", "0"],
    ["--max-body", "0"], ["--body-memory", "0"], ["--body-memory", "9MiB"],
    ["--max-body", "13MiB", "--body-memory", "12MiB"], ["--retain-size", "0GiB"], ["--write-timeout", "-1s"],
    ["--retain-size", "5"], ["--retain-size", "1e9"], ["--leeway", "11m"],
    ["--leeway", "-1s"],
    ["--identity", "okta"], ["--identity-clock", "+5s"], ["--identity", "own", "--identity-clock", "soon"],
    ["--identity", "own", "--identity-keys", "0s"], ["--identity", "own", "--identity-url", "login.example"],
    ["--identity-audience", "a"], ["--identity", "keycloak", "--identity-audience", ""],
    ["--identity", "cognito", "--identity-audience", "a"], ["--identity", "firebase", "--identity-audience", "a"],
    ["--refresh-rotation", "maybe"], ["--refresh-grace", "-1s"],
    ["--jwks", "keys.json"], ["--jwks", "", "--auth", "required"], ["--issuer", "a"], ["--device-claim", "sub"],
    ["--jwks", "keys.json", "--auth", "required", "--jwks-ca", "ca.pem"],
    ["--jwks", "keys.json", "--auth", "required", "--device-claim", ""],
  ])
  func serveRefusesWhatItCannotMean(words: [String]) {
    let result = run(["serve"] + words)
    #expect(result.code == .usage && result.output == "")
  }

  @Test func theMemoryForBodiesHoldsTheLongestOne() throws {
    let refused = run(["serve", "--body-memory", "1MiB"])
    #expect(refused.error.contains("--body-memory must be at least 10MiB: a body of --max-body has to fit"))
    let process = ProcessContext(arguments: [], writeOutput: { _ in }, writeError: { _ in }, errorIsTerminal: false)
    let words = ["--max-body=1MiB", "--body-memory=1MiB"]
    let (values, _) = try FlagParser(flags: Subcommand.serve.flags, operandCount: 0...0).parse(words, in: process)
    #expect(try ServerConfiguration(values).bodyMemoryMax == 1 << 20)
  }

  @Test func theTimeLimitsAreFlags() throws {
    let words = [
      "--idle-timeout=1s", "--head-timeout=2s", "--body-timeout=3m", "--body-rate=4KiB", "--body-grace=5s",
      "--write-timeout=6s",
    ]
    let process = ProcessContext(arguments: [], writeOutput: { _ in }, writeError: { _ in }, errorIsTerminal: false)
    let (values, _) = try FlagParser(flags: Subcommand.serve.flags, operandCount: 0...0).parse(words, in: process)
    let chosen = try ServerConfiguration(values)
    #expect([chosen.idleSeconds, chosen.headSeconds, chosen.bodySeconds] == [1, 2, 180])
    #expect([chosen.bodyBytesPerSecond, chosen.bodyGraceSeconds, chosen.writeSeconds] == [4_096, 5, 6])
  }

  /// The keys of a foreign issuer over HTTP, from a server that rotates them.
  @Test func keysAreFetchedFromTheirURL() throws {
    let answers = BareServer.Answer.ok(#"{"keys":[]}"#)
    let issuer = try BareServer { _ in answers }
    let words = ["--auth=required", "--jwks=http://127.0.0.1:\(issuer.port)/certs", "--device-claim=none"]
    let process = ProcessContext(arguments: [], writeOutput: { _ in }, writeError: { _ in }, errorIsTerminal: false)
    let (values, _) = try FlagParser(flags: Subcommand.serve.flags, operandCount: 0...0).parse(words, in: process)
    let settings = try #require(try ServerConfiguration(values).foreignIssuer)
    #expect(settings.deviceClaim == nil && settings.issuer == nil)
    guard case .fetched(let name, let fetch) = settings.keys else { throw UsageError("not fetched") }
    #expect(name == "http://127.0.0.1:\(issuer.port)/certs")
    #expect(try fetch() == Array(#"{"keys":[]}"#.utf8))
    #expect(issuer.requests.first?.lines.first == "GET /certs HTTP/1.1")
  }

  @Test func theIdentityProviderIsSetByFlags() throws {
    let words = [
      "--identity=cognito", "--identity-clock=-90s", "--identity-keys=1h", "--identity-url=https://login.example",
      "--refresh-rotation=on", "--refresh-grace=0s", "--leeway=0s",
    ]
    let process = ProcessContext(arguments: [], writeOutput: { _ in }, writeError: { _ in }, errorIsTerminal: false)
    let (values, _) = try FlagParser(flags: Subcommand.serve.flags, operandCount: 0...0).parse(words, in: process)
    let chosen = try ServerConfiguration(values)
    let identity = try #require(chosen.identity)
    #expect("\(identity.provider)" == "cognito" && identity.clockOffset == .seconds(-90))
    #expect(identity.keyInterval == .seconds(3_600))
    #expect(identity.url == "https://login.example" && chosen.accessSeconds == nil)
    #expect(chosen.rotatesRefreshTokens == true && chosen.refreshGraceSeconds == 0 && chosen.clockSkewSeconds == 0)
  }

  @Test func anAddressInUseHasAnExitCodeOfItsOwn() throws {
    let server = try LocalServer.start()
    defer { server.stop() }
    let folder = try TemporaryFolder()
    let result = run(["serve", "--listen", "127.0.0.1:\(server.port)", "--data", folder.path])
    #expect(result.code == .cannotBind && result.output == "")
    #expect(result.error.contains(#""level":"error","message":"cannot serve""#))
    #expect(result.error.contains("port 0 picks a free one"), "\(result.error)")
  }

  @Test(arguments: [
    (["--loops", "1025"], "--loops: '1025' is not a whole number from 1 to 1024"),
    (["--access-ttl", "100001d"], "--access-ttl: '100001d' is not a time from 1s to 100000d, such as 90s or 10m"),
    (["--access-ttl", "0s"], "--access-ttl: '0s' is not a time from 1s to 100000d, such as 90s or 10m"),
    (["--max-body", "-1TiB"], "--max-body: '-1TiB' is not a size above 0, such as 8MiB"),
  ])
  func whatIsOutOfBoundsIsNamedWithTheBounds(flags: [String], message: String) throws {
    let result = try BoundedCall(["serve", "--listen", "127.0.0.1:0", "--data", ":memory:"] + flags)
    #expect(result.code == ExitCode.usage.rawValue && result.output.contains(message), "\(result.output)")
  }

  /// Before anything is made.
  @Test func whatTLSCannotUseIsSaidFirst() throws {
    let server = try LocalServer.start()
    defer { server.stop() }
    let folder = try TemporaryFolder()
    let words = ["serve", "--listen", "127.0.0.1:0", "--data", folder.file("data")]
    let taken = "127.0.0.1:\(server.port)"
    let calls: [([String], String, ExitCode)] = [
      (["--tls-listen", "127.0.0.1:0"], "--tls-listen needs TLS", .usage),
      (
        ["--tls-cert", "/nowhere.pem", "--tls-key", "/nowhere.key"], "/nowhere.pem cannot be read: No such file",
        .runtimeFailure
      ),
      (["--tls-cert", "a", "--tls-key", "a", "--tls-cert", "b"], "given 2 and 1 times", .usage),
      (["--tls", "development", "--tls-listen", taken], "cannot bind \(taken)", .cannotBind),
    ]
    for (flags, message, code) in calls {
      let result = try BoundedCall(words + flags)
      #expect(result.code == code.rawValue && result.output.contains(message), "\(result.output)")
    }
    #expect(unsafe access(folder.file("data"), F_OK) != 0, "no data folder is left")
  }

  @Test func aPersonReadsOnePlainLine() throws {
    let server = try LocalServer.start()
    defer { server.stop() }
    let error = Mutex("")
    let process = ProcessContext(
      arguments: ["serve", "--listen", "127.0.0.1:\(server.port)", "--data", ":memory:"], writeOutput: { _ in },
      writeError: { text in error.withLock { $0 += text + "\n" } }, errorIsTerminal: true)
    #expect(CommandTable.run(process) == .cannotBind)
    let text = error.withLock { $0 }
    #expect(text.hasPrefix("rollingroad serve: cannot bind 127.0.0.1:\(server.port): "), "\(text)")
    #expect(text.contains("port 0 picks a free one") && text.split(separator: "\n").count == 1)
  }

  @Test func healthcheckSaysWhyAServerIsNotReady() throws {
    let folder = try TemporaryFolder()
    do { try LocalServer.start(in: folder.path).stop() }
    let descriptor = unsafe open(folder.file("store.db"), O_WRONLY | O_CLOEXEC)
    let bytes = [UInt8](repeating: 0xA5, count: 4_096)
    #expect(unsafe pwrite(descriptor, bytes, bytes.count, 8_192) == bytes.count)
    close(descriptor)
    let server = try LocalServer.start(in: folder.path)
    defer { server.stop() }
    let result = run(["healthcheck", "--url", server.url])
    #expect(result.code == .runtimeFailure)
    #expect(result.output.contains("is not ready: 503, the store cannot commit: the data file is damaged"))
  }

  @Test func aFolderInUseIsAFailureThatNamesIt() throws {
    let folder = try TemporaryFolder()
    let server = try LocalServer.start(in: folder.path)
    defer { server.stop() }
    let result = run(["serve", "--listen", "127.0.0.1:0", "--data", folder.path])
    #expect(result.code == .runtimeFailure && result.error.contains(folder.path))
  }
}
