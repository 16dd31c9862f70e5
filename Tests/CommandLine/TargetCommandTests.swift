import Base
import IngestServer
import JSON
import ServerSupport
import Support
import Testing
import Threaded

@testable import CommandLine

/// `simulate --target`: what goes over the wire, and what is asked of a server of ours beside it.
@Suite(.waits) struct TargetCommandTests {
  private static let scenario = """
    {
      version: 1, name: "errand", seed: 3, clock: { duration: "3m", settle: "1m" },
      fleets: { cars: { devices: 1, motion: "driving", network: "wifi" } },
    }
    """
  private static let token = "an administrator's"

  private func run(_ words: [String], environment: [String: String] = [:]) -> CommandCall {
    CommandCall(
      ["simulate", "errand.json5", "--quiet", "--mode", "lockstep"] + words, environment: environment,
      files: ["errand.json5": Self.scenario])
  }

  @Test func whatAServerHasStoredIsVerifiedWithItsToken() throws {
    let server = try LocalServer.start(adminToken: Self.token)
    defer { server.stop() }
    let ours = ["--target", server.url, "--preset", "rollingroad"]
    let trusted = run(ours, environment: ["ROLLINGROAD_ADMIN_TOKEN": Self.token])
    #expect(trusted.code == .ok && !trusted.output.contains("not verified"), "\(trusted.output)\(trusted.error)")
    #expect(trusted.output.contains(", server: Rolling Road \(Product.version)\n"), "\(trusted.output)")
    let stranger = run(ours)
    #expect(
      stranger.output.contains("could not be verified: /admin/v1/verify: status 401; give --admin-token"),
      "\(stranger.output)")
    // A token that is not the server's is said to be that, before the run.
    let mistaken = run(ours + ["--admin-token", "other"])
    #expect(mistaken.code == .runtimeFailure && !mistaken.output.contains("records   created"), "\(mistaken.output)")
    #expect(mistaken.error.contains("\(server.url): status 401; --admin-token is not the token of this server"))
    let fault = "faults=[{ name: 'down', at: '1m', for: '1m', http: { abort: { status: 503 } } }]"
    let refused = run(ours + ["--set", fault])
    #expect(
      refused.code == .runtimeFailure
        && refused.error.contains("status 401; give --admin-token"))
    let placed = run(["--target", server.url, "--set", fault, "--admin-token", Self.token])
    #expect(placed.code == .ok, "\(placed.output)\(placed.error)")
    let shard = run(["--target", server.url, "--set", fault, "--admin-token", Self.token, "--shard", "0/2"])
    #expect(shard.code == .badScenario && shard.error.contains("run one process"))
  }

  /// Registrations carry them too: a token belongs to the run that its request was in.
  @Test func fieldsOfTheTargetAreInEachRequest() throws {
    var configuration = ServerConfiguration.loopback(data: ":memory:", loops: 1)
    configuration.authentication = .required
    let server = try IngestServer(configuration)
    defer { server.stop() }
    let call = run([
      "--target", server.url, "--preset", "rollingroad", "--set",
      "target.headers={ 'X-Run-Id': 'nightly', 'X-Key': 'k-${device.index}' }", "--set", "target.auth.strategy=jwt",
    ])
    #expect(call.code == .ok && !call.output.contains("pending 1"), "\(call.output)\(call.error)")
    let stranger = try BareServer { request in
      request.lines[0].contains("/api/register") && request.values(of: "X-Key") == ["k-0"]
        ? .ok(#"{"accessToken":"a","refreshToken":"r"}"#) : .ok("{}")
    }
    let other = run([
      "--target", stranger.url + "up", "--set", "target.headers={ 'X-Key': 'k-${device.index}' }", "--set",
      "target.auth.strategy=jwt",
    ])
    #expect(other.code == .ok, "\(other.output)")
    #expect(stranger.requests.contains { $0.lines[0].contains("/api/register") })
    #expect(stranger.requests.allSatisfy { $0.values(of: "X-Key") == ["k-0"] })
  }

  /// It is not declared to be a server of ours: a token in the environment is for another one.
  @Test func aStrangerGetsNothingButTheRequestsOfTheApps() throws {
    let server = try BareServer { _ in .ok("{}") }
    let environment = ["ROLLINGROAD_ADMIN_TOKEN": Self.token]
    let config = "sdk.config.http={ headers: { 'X-Key': 'k-${device.index}' }, params: { device_id: '${device.id}' } }"
    for method in ["journal", ""] {
      let words = ["--target", server.url + "up", "--set", config]
      let call = run(
        words + (method.isEmpty ? [] : ["--set", "target.verify.method=\(method)"]), environment: environment)
      #expect(call.code == .ok && !call.error.contains("note:"), "\(call.output)\(call.error)")
    }
    let requests = server.requests
    #expect(requests.count > 5 && requests.allSatisfy { $0.lines[0] == "POST /up HTTP/1.1" })
    for request in requests {
      #expect(request.values(of: "X-Device-Id") == [] && request.values(of: "Authorization") == [])
      #expect(request.values(of: "X-Key") == ["k-0"])
      let body = request.body
      #expect(try JSONValue(parsing: body.span)["device_id"] == .string("cars-0"))
    }
  }

  @Test func aTokenOnTheCommandLineSaysThatTheServerIsOurs() throws {
    let server = try LocalServer.start(adminToken: Self.token)
    defer { server.stop() }
    let trusted = run(["--target", server.url, "--admin-token", Self.token])
    #expect(trusted.code == .ok && !trusted.output.contains("not verified"), "\(trusted.output)\(trusted.error)")
    let asked = run(["--target", server.url, "--set", "target.verify.method=admin"])
    #expect(
      asked.output.contains("could not be verified: /admin/v1/verify: status 401; give --admin-token"),
      "\(asked.output)")
  }

  /// In virtual time the requests of minutes come within a second.
  @Test(arguments: [("429 Too Many Requests", true), ("503 Busy\r\nRetry-After: 1", true), ("503 Busy", false)])
  func aLimitInCompressedTimeSaysSo(answer: String, isLimit: Bool) throws {
    let server = try BareServer { _ in .text("HTTP/1.1 \(answer)\r\nContent-Length: 0\r\n\r\n") }
    let call = run(["--target", server.url + "up"])
    #expect(call.code == .thresholdFailed && call.output.contains("not accepted by the end"), "\(call.output)")
    let words = "the server limits the rate, and time was compressed: requests came "
    #expect(call.output.contains(words) == isLimit, "\(call.output)\(call.error)")
  }

  /// The app's own URL is a target too.
  @Test func withoutATargetTheAppUploadsToItsOwnServer() throws {
    let server = try BareServer { _ in .ok("{}") }
    let call = run(["--set", "sdk.config.http.url=\(server.url)mine/${device.id}?k=1"])
    #expect(call.code == .ok, "\(call.output)\(call.error)")
    #expect(server.requests.count > 2)
    #expect(server.requests.allSatisfy { $0.lines[0] == "POST /mine/cars-0?k=1 HTTP/1.1" })
  }

  @Test func whatIsReplacedIsSaidFirst() throws {
    let server = try BareServer { _ in .ok("{}") }
    let config =
      "sdk.config.http={ url: 'https://app.example/in', rootProperty: 'data', batchSync: true, headers: { authorization: 'a' } }"
    let words = [
      "--target", server.url + "up", "--preset", "traccar", "--set", config, "--set", "target.headers.Authorization=b",
    ]
    let sentences = [
      "the target \(server.url)up replaces http.url https://app.example/in",
      "target.headers replaces Authorization of http.headers",
      "preset traccar replaces http.rootProperty, http.batchSync of the app",
    ]
    let plan = run(words + ["--dry-run"])
    let call = run(words)
    for sentence in sentences {
      #expect(plan.output.contains(sentence + "\n") && call.output.contains(sentence + "\n"), "\(plan.output)")
    }
    #expect(server.requests.first?.values(of: "Authorization") == ["b"])
    let nameless = "note: requests do not identify their device"
    #expect(run(["--target", server.url + "up"]).error.contains(nameless))
    // A token is its device's.
    #expect(!run(["--target", server.url + "up", "--set", "target.auth.strategy=jwt"]).error.contains(nameless))
  }

  @Test func anAcceleratedRunSaysHowLongItTakesAtMost() throws {
    let server = try BareServer { _ in .ok("{}") }
    let call = CommandCall(
      [
        "simulate", "errand.json5", "--quiet", "--mode", "accelerated", "--factor", "180", "--target",
        server.url + "up",
      ],
      files: ["errand.json5": Self.scenario])
    let note =
      "note: the drives take 1 s of real time; then the queues drain in real time, 1m at most (clock.settle)"
    #expect(call.error.contains(note), "\(call.error)")
  }

  @Test func aMissingServerIsReportedBeforeTheRun() throws {
    let server = try LocalServer.start()
    let url = server.url
    server.stop()
    let call = run(["--target", url])
    #expect(call.code == .runtimeFailure && call.error.contains("no answer from \(url)"), "\(call.error)")
  }

  @Test func aTokenIsNotRepeated() {
    #expect(["a", "--admin-token", "x", "b", "--admin-token=y", "c"].without(["--admin-token"]) == ["a", "b", "c"])
  }
}
