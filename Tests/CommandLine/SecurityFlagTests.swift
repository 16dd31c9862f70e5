import Base
import FleetSimulator
import ServerSupport
import Support
import Testing
import Threaded

@testable import CommandLine
@testable import IngestServer

/// The commands against a server with an authority of its own.
@Suite(.waits, .timeLimit(.minutes(10))) struct SecurityFlagTests {
  private let server: DevelopmentServer
  private let ca: [String]

  init() throws {
    server = try DevelopmentServer(names: ["phones.test"])
    ca = ["--ca", server.authority]
  }

  private var folder: TemporaryFolder { server.folder }
  private var port: UInt16 { server.port }

  private func run(_ words: [String]) -> CommandCall { CommandCall(words, orElse: ProcessContext.live().readFile) }

  @Test func theAuthorityIsTrustedWhenItIsNamed() {
    let words = ["healthcheck", "--url", server.url]
    let without = run(words)
    #expect(without.code == .runtimeFailure)
    #expect(without.error.contains("name the authority that signed it with --ca FILE"), "\(without.error)")
    #expect(run(words + ca).code == .ok)
    let unchecked = run(words + ["--insecure"])
    #expect(unchecked.code == .ok && unchecked.error.contains(SecurityFlags.warning))
  }

  @Test func namesCanBeResolvedByHand() {
    let words = ["token", "phone-1", "--url", "https://phones.test:\(port)"] + ca
    let call = run(words + ["--resolve", "phones.test:\(port):127.0.0.1"])
    #expect(call.code == .ok && call.output.contains("accessToken"), "\(call.error)")
    let other = run(
      ["token", "phone-1", "--url", "https://other.test:\(port)", "--resolve", "other.test:\(port):127.0.0.1"] + ca)
    #expect(other.code == .runtimeFailure && other.error.contains("other.test"))
  }

  @Test func aRunUploadsOverTLSAndCountsHandshakes() throws {
    let call = run(
      [
        "simulate", "first-drive", "--target", server.url, "--preset", "rollingroad", "--mode",
        "lockstep",
        "--duration", "4m", "--quiet", "--out", folder.file("out"),
      ] + ca)
    #expect(call.code == .ok, "\(call.error)")
    let summary = try RunSummary.read(folder.file("out"), ProcessContext.live().readFile)
    guard case .counter(let handshakes)? = summary.figure("tls_handshakes"),
      case .counter(let resumed)? = summary.figure("tls_resumed"),
      case .trend(let times)? = summary.figure("tls_handshake_time")
    else {
      Issue.record("\(summary.metrics.map(\.name))")
      return
    }
    #expect(handshakes > resumed && times.histogram.count == UInt64(handshakes))
    #expect(!summary.notes.contains(SecurityFlags.note))
  }

  /// A phone whose network comes back has a ticket, and makes another connection.
  @Test func aSessionThatIsResumedIsCounted() throws {
    let scenario = """
      { version: 1, name: "gap", clock: { mode: "accelerated", factor: 60, duration: "4m", settle: "10m" },
        fleets: { cars: { devices: 2, motion: "driving", network: "lte" } },
        faults: [{ name: "gap", at: "90s", for: "30s", network: "none" }] }
      """
    try folder.write(Array(scenario.utf8), to: "gap.json5")
    let call = run(
      [
        "simulate", folder.file("gap.json5"), "--target", server.url, "--preset", "rollingroad",
        "--quiet",
        "--out", folder.file("out"),
      ] + ca)
    #expect(call.code == .ok, "\(call.error)")
    let summary = try RunSummary.read(folder.file("out"), ProcessContext.live().readFile)
    guard case .counter(let handshakes)? = summary.figure("tls_handshakes"),
      case .counter(let resumed)? = summary.figure("tls_resumed")
    else {
      Issue.record("\(summary.metrics.map(\.name))")
      return
    }
    #expect(resumed >= 2 && handshakes >= resumed + 2, "\(resumed) of \(handshakes)")
  }

  @Test func aRunThatChecksNoCertificateIsMarked() throws {
    let call = run(
      [
        "simulate", "first-drive", "--target", server.url, "--preset", "rollingroad", "--mode",
        "lockstep", "--duration", "1m", "--quiet", "--out", folder.file("out"), "--insecure", "--set",
        "target.connections.http='2'",
      ])
    #expect(call.code == .ok && call.error.contains(SecurityFlags.warning), "\(call.error)")
    for name in ["summary.json", "report.html"] {
      #expect(String(decoding: try folder.read("out/" + name), as: UTF8.self).contains(SecurityFlags.note))
    }
  }

  @Test func aCertificateOfTheClientIsShown() throws {
    let (certificate, key) = (folder.file("phone.pem"), folder.file("phone.key"))
    let maker = try ChildProcess([
      "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
      "-subj", "/CN=phone", "-keyout", key, "-out", certificate,
    ])
    try #require(maker.exitCode() == 0)
    let asking = try DevelopmentServer { configuration in
      configuration.tls?.clientAuthorities = certificate
      configuration.tls?.certificatesFor = .all
    }
    let words = ["token", "phone-1", "--url", asking.url, "--ca", asking.authority]
    let without = run(words)
    #expect(without.code == .runtimeFailure && without.error.contains("certificate"), "\(without.error)")
    let with = run(words + ["--client-cert", certificate, "--client-key", key])
    #expect(with.code == .ok && with.output.contains("accessToken"), "\(with.error)")
  }

  /// Those clauses, too, that decide byte by byte what is sent.
  @Test func aBackendIsJudgedOverTLS() throws {
    let words = [
      "conform", "--target", server.url, "--preset", "rollingroad", "--only",
      "good-record-acknowledged,cut-request-stores-nothing-half,keep-alive,close-honoured,unreadable-not-acknowledged",
    ]
    let call = run(words + ca)
    #expect(call.code == .ok && call.output.contains("5 of 5 clauses kept"), "\(call.output)\(call.error)")
    let untrusted = run(words)
    #expect(untrusted.code == .runInvalid && untrusted.output.contains("--ca FILE"), "\(untrusted.output)")
  }

  /// The line to paste trusts what the run has trusted, and so does the scenario beside it.
  @Test func whatReproducesAFindingTrustsTheSame() throws {
    let words = ["conform", "--target", server.url + "/nowhere", "--only", "good-record-acknowledged"]
    let call = run(words + ca + ["--out", folder.file("out")])
    #expect(call.code == .invariantViolated, "\(call.output)\(call.error)")
    let script = String(decoding: try folder.read("out/again/good-record-acknowledged.sh"), as: UTF8.self)
    #expect(script.contains("curl -sS -i --max-time 20 --http1.1 --cacert \(server.authority.shellWord) "), "\(script)")
    let again = ["simulate", folder.file("out/again/good-record-acknowledged.json5"), "--quiet"]
    let repeated = run(again)
    #expect(repeated.code == .ok, "\(repeated.output)\(repeated.error)")
    let unchecked = run(words + ["--insecure"])
    #expect(unchecked.output.contains("curl -sS -i --max-time 20 --http1.1 -k "), "\(unchecked.output)")
  }

  @Test func aRecordIsExplainedOverTLS() {
    let words = ["explain", "3f2504e0-4f89-41d3-9a0c-0305e82c3301", "--journal", server.url]
    let call = run(words + ca)
    #expect(call.code == .runInvalid && call.output.contains("no source knows it"), "\(call.output)\(call.error)")
    let untrusted = run(words)
    #expect(untrusted.code == .runtimeFailure && untrusted.error.contains("--ca FILE"), "\(untrusted.error)")
  }

  @Test func aProxyIsAskedForTheServer() throws {
    let proxy = try BareServer { _ in .close(Array("HTTP/1.1 502 No\r\nContent-Length: 0\r\n\r\n".utf8)) }
    let call = run(
      ["token", "phone-1", "--url", "https://road.test:8443", "--proxy", "http://127.0.0.1:\(proxy.port)"])
    #expect(call.code == .runtimeFailure)
    #expect(proxy.requests.first?.lines.first == "CONNECT road.test:8443 HTTP/1.1")
  }

  @Test func aNameThatTheCertificateLacksIsNotBlamedOnTheAuthority() {
    let call = run(
      ["token", "phone-1", "--url", "https://other.test:\(port)", "--resolve", "other.test:\(port):127.0.0.1"] + ca)
    #expect(call.error.contains("--tls-names") && !call.error.contains("--ca FILE"), "\(call.error)")
  }

  @Test(arguments: [
    (["--ca", "/nowhere.pem"], "--ca: cannot read /nowhere.pem"), (["--client-key", "/dev/null"], "--client-cert"),
    (["--insecure", "--ca", "/dev/null"], "cannot be used together"),
  ])
  func whatCannotBeIsSaid(words: [String], message: String) {
    let call = run(["healthcheck"] + words)
    #expect(call.code == .usage && call.error.contains(message), "\(call.error)")
  }

  @Test(arguments: [
    (["--ca", "/nowhere.pem"], "target.tls.ca: cannot read the file '/nowhere.pem'", ExitCode.usage),
    (["--client-key", "/dev/null"], "a key without its certificate", .badScenario),
    (["--insecure", "--ca", "/dev/null"], "insecure and ca cannot be used together", .badScenario),
  ])
  func aRunThatCannotBeIsNotBegun(words: [String], message: String, code: ExitCode) throws {
    let call = try BoundedCall(["simulate", "first-drive", "--target", server.url, "--quiet"] + words)
    #expect(call.code == code.rawValue && call.output.contains(message), "\(call.output)")
  }
}
