import Base
import CurlTransport
import FleetSimulator
import IngestServer
import JSON
import Support
import Testing
import Threaded
import Upload

@testable import CommandLine

/// Who is to blame (docs/explain.md, "What became of a record").
@Suite(.waits) struct ExplainBlameTests {
  private static let uuid = "3f2504e0-4f89-41d3-9a0c-0305e82c3301"

  /// A journal of requests that no server of ours has kept.
  private static func journal(_ requests: [(status: Int, fault: String?)]) throws -> BareServer {
    let entries = requests.enumerated().map { number, request in
      let fault = request.fault.map { #","fault":"\#($0)""# } ?? ""
      return
        #"{"sequence":\#(number + 1),"receivedAt":"2026-07-28T18:34:2\#(number).563Z","device":"phone-1","method":"POST","path":"/points","#
        + #""status":\#(request.status),"requestBytes":47,"body":"{\"uuid\":\"\#(uuid)\",\"lat\":1}","answer":""\#(fault)}"#
    }
    return try BareServer { request in
      guard request.lines[0].contains("/admin/v1/requests") else {
        return .text("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
      }
      return .ok(#"{"requests":[\#(entries.joined(separator: ","))]}"#)
    }
  }

  private static func explain(
    _ requests: [(status: Int, fault: String?)], stored: String = #"[{"uuid":"3f2504e0-4f89-41d3-9a0c-0305e82c3399"}]"#
  ) throws -> CommandCall {
    let (journal, store) = (try journal(requests), try BareServer { _ in .ok(stored) })
    return CommandCall(["explain", uuid, "--journal", journal.url, "--verify", store.url + "{device}"])
  }

  /// The backend never got it, and has not acknowledged it: nothing is wrong with the backend.
  @Test(arguments: ["pretend", "portal", "prefix", "status", "refuse"])
  func whatAFaultKeptFromTheBackendIsNotItsLoss(fault: String) throws {
    let call = try Self.explain([(200, fault)])
    #expect(call.code == .ok && call.output.contains("lost by an injected fault (\(fault))"), "\(call.output)")
    #expect(!call.output.contains("after the commit") && call.output.contains("/admin/v1/faults"), "\(call.output)")
  }

  /// The backend had it when it answered; or another request of it was acknowledged without a fault.
  @Test(arguments: [["drop"], ["malformed"], ["delayAfterCommit"], ["pretend", nil]] as [[String?]])
  func whatItHasAcknowledgedItselfIs(faults: [String?]) throws {
    let call = try Self.explain(faults.map { (status: 200, fault: $0) })
    #expect(call.code == .invariantViolated && call.output.contains("after the commit"), "\(call.output)")
  }

  @Test func aRefusalByAFaultIsNotTheBackendsEither() throws {
    let injected = try Self.explain([(503, "status")])
    #expect(injected.code == .thresholdFailed && injected.output.contains("/admin/v1/faults"), "\(injected.output)")
    #expect(!injected.output.contains("the backend's log"), "\(injected.output)")
    let own = try Self.explain([(503, nil)])
    #expect(own.code == .thresholdFailed && own.output.contains("the backend's log"), "\(own.output)")
  }

  private static func upload(to url: String) throws {
    let body =
      #"{"location":{"uuid":"\#(uuid)","timestamp":"2026-07-28T18:34:22.563Z","coords":{"latitude":48.1,"longitude":11}}}"#
    let client = try BlockingHTTPClient(TransportConfiguration())
    let outcome = client.ask(url + "/locations/phone-1", by: "POST", body: Array(body.utf8))
    guard case .answered(200, reason: _, _) = outcome else { throw ChildProcess.Failure("\(outcome)") }
  }

  /// One whose data are in the folder's `data`.
  private static func proxy(to url: String, in folder: TemporaryFolder) throws -> ProxyServer {
    var configuration = ProxyConfiguration(try UpstreamTarget(parsing: url))
    configuration.listen = "127.0.0.1:0"
    configuration.administration.listen = "127.0.0.1:0"
    configuration.administration.loops = 1
    configuration.administration.data = folder.file("data")
    return try ProxyServer(configuration)
  }

  /// What a proxy lists is what the backend has acknowledged: whether it is stored, only the backend's store tells.
  @Test func whatAProxyHasSeenIsNoStore() throws {
    let server = try LocalServer.start()
    defer { server.stop() }
    let folder = try TemporaryFolder()
    let proxy = try Self.proxy(to: server.url, in: folder)
    try Self.upload(to: proxy.url)
    func judge(_ journal: String) {
      let call = CommandCall(["explain", Self.uuid, "--journal", journal])
      #expect(
        call.code == .runInvalid && call.output.contains("acknowledged; no store was asked"),
        "\(call.output)\(call.error)")
    }
    judge(proxy.administrationURL)
    proxy.stop()
    judge(folder.file("data"))
  }

  /// Nothing in the request says whose records it has, so that a loss among them is not seen.
  @Test func whatNamesNoDeviceIsNotLookedUp() throws {
    let backend = try BareServer { _ in .ok("[]") }
    let folder = try TemporaryFolder()
    let proxy = try Self.proxy(to: backend.url, in: folder)
    let client = try BlockingHTTPClient(TransportConfiguration())
    let record = #"{"location":{"uuid":"\#(Self.uuid)","coords":{"latitude":48.1,"longitude":11}}"#
    for body in [record + #","device_id":"phone-1"}"#, record.replacing("c3301", with: "c3302") + "}"] {
      let outcome = client.ask(proxy.url + "/points", by: "POST", body: Array(body.utf8))
      guard case .answered(200, reason: _, _) = outcome else { throw ChildProcess.Failure("\(outcome)") }
    }
    try folder.write(Array(#"{"uuid":"\#(Self.uuid)","device":"phone-1"}"#.utf8), to: "stored.ndjson")
    func judge(_ journal: String) {
      let call = CommandCall([
        "explain", "phone-1", "--journal", journal, "--verify", folder.file("stored.ndjson"),
      ])
      #expect(call.code == .runInvalid, "\(call.output)\(call.error)")
      #expect(call.output.contains("in 1 acknowledged request no device is named; ask by uuid"), "\(call.output)")
    }
    judge(proxy.administrationURL)
    proxy.stop()
    judge(folder.file("data"))
  }

  /// What the server has put aside is in no list of it, and in no store that its records go on to.
  @Test func whatIsQuarantinedIsLostNowhere() throws {
    let server = try LocalServer.start()
    defer { server.stop() }
    let folder = try TemporaryFolder()
    let proxy = try Self.proxy(to: server.url, in: folder)
    defer { proxy.stop() }
    let client = try BlockingHTTPClient(TransportConfiguration())
    for (uuid, latitude) in [(Self.uuid, #""north""#), ("3f2504e0-4f89-41d3-9a0c-0305e82c3302", "48.1")] {
      let body = #"{"location":{"uuid":"\#(uuid)","coords":{"latitude":\#(latitude),"longitude":11}}}"#
      let outcome = client.ask(proxy.url + "/locations/phone-1", by: "POST", body: Array(body.utf8))
      guard case .answered(200, reason: _, _) = outcome else { throw ChildProcess.Failure("\(outcome)") }
    }
    let sent = #"{"uuid":"3f2504e0-4f89-41d3-9a0c-0305e82c3302","device":"phone-1"}"#
    try folder.write(Array("\(sent)\n".utf8), to: "sent.ndjson")
    for flags in [
      ["--journal", proxy.administrationURL, "--dialect", "ours.json5", "--target", server.url],
      ["--journal", server.url, "--verify", folder.file("sent.ndjson")],
    ] {
      let call = CommandCall(
        ["explain", Self.uuid] + flags, files: ["ours.json5": "{ version: 1, preset: 'rollingroad' }"])
      #expect(call.code == .ok, "\(call.output)\(call.error)")
      #expect(call.output.contains("acknowledged and quarantined: unreadableCoordinate"), "\(call.output)")
    }
  }

  /// What the proxy answers by itself is no answer of the backend.
  @Test(arguments: [true, false]) func whatTheProxyAnsweredIsNotTheBackends(isThere: Bool) throws {
    let backend = try BareServer { _ in
      isThere ? .text("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 2\r\n\r\n{}") : .reset([])
    }
    let folder = try TemporaryFolder()
    let proxy = try Self.proxy(to: "http://127.0.0.1:\(backend.port)", in: folder)
    #expect(throws: ChildProcess.Failure.self) { try Self.upload(to: proxy.url) }
    func judge(_ journal: String) {
      let call = CommandCall(["explain", Self.uuid, "--journal", journal])
      #expect(
        call.code == .thresholdFailed && call.output.contains("refused: answered 502"), "\(call.output)\(call.error)")
      #expect(
        call.output.contains("answered 502 by the proxy, as the backend ended the connection") == !isThere,
        "\(call.output)")
      #expect(call.output.contains("the proxy answered in the backend's place") == !isThere, "\(call.output)")
      #expect(call.output.contains("backend's log") == isThere, "\(call.output)")
    }
    judge(proxy.administrationURL)
    proxy.stop()
    judge(folder.file("data"))
  }

  /// The backend has acknowledged what it does not have, and the phone does not know that: it sends the record again.
  @Test func whatThePhoneDidNotHearIsSentAgain() throws {
    let backend = try BareServer { request in
      request.lines[0].hasPrefix("POST")
        ? .ok(#"{"ok":1}"#) : .ok(#"[{"uuid":"3f2504e0-4f89-41d3-9a0c-0305e82c3399"}]"#)
    }
    let folder = try TemporaryFolder()
    let proxy = try Self.proxy(to: backend.url, in: folder)
    let client = try BlockingHTTPClient(TransportConfiguration())
    let rule = #"{"faults":[{"id":"d","fault":{"kind":"drop"},"match":{"count":1}}]}"#
    let set = client.ask(proxy.administrationURL + "/admin/v1/faults", by: "PUT", body: Array(rule.utf8))
    guard case .answered(200, reason: _, _) = set else { throw ChildProcess.Failure("\(set)") }
    #expect(throws: ChildProcess.Failure.self) { try Self.upload(to: proxy.url) }
    func judge(_ journal: String, isHeard: Bool) {
      let call = CommandCall(["explain", Self.uuid, "--journal", journal, "--verify", backend.url + "{device}"])
      #expect(call.code == .invariantViolated && call.output.contains("acknowledged and lost"), "\(call.output)")
      #expect(call.output.contains("which the phone did not get") == !isHeard, "\(call.output)")
      #expect(call.output.contains("nothing sends it again") == isHeard, "\(call.output)")
    }
    judge(proxy.administrationURL, isHeard: false)
    try Self.upload(to: proxy.url)
    judge(proxy.administrationURL, isHeard: true)
    proxy.stop()
    judge(folder.file("data"), isHeard: true)
  }

  @Test func whatWasDeletedInTheStoreIsNotLost() throws {
    let server = try LocalServer.start()
    defer { server.stop() }
    try Self.upload(to: server.url)
    let client = try BlockingHTTPClient(TransportConfiguration())
    let deleted = client.ask(server.url + "/admin/v1/devices/phone-1", by: "DELETE")
    guard case .answered(200..<300, reason: _, _) = deleted else { throw ChildProcess.Failure("\(deleted)") }
    func judge(_ words: String) {
      for subject in [Self.uuid, "phone-1"] {
        let call = CommandCall(["explain", subject, "--journal", server.url])
        #expect(call.code == .runInvalid && call.output.contains(words), "\(call.output)")
      }
    }
    judge("the store does not know 'phone-1', which may have been deleted")
    // The same device, made anew.
    let other =
      #"{"location":{"uuid":"3f2504e0-4f89-41d3-9a0c-0305e82c3302","timestamp":"2026-07-28T18:34:23.563Z","coords":{"latitude":48.1,"longitude":11}}}"#
    let outcome = client.ask(server.url + "/locations/phone-1", by: "POST", body: Array(other.utf8))
    guard case .answered(200, reason: _, _) = outcome else { throw ChildProcess.Failure("\(outcome)") }
    judge("'phone-1' was deleted in the store after it")
  }

  /// A device that was misspelt has not lost its records to another one.
  @Test func aDeviceThatNothingKnowsIsNoOwner() throws {
    let town = try ExplainTown()
    let right = town.explain("cars-1", "--log", town.log, "--journal", town.data)
    #expect(right.code == .ok, "\(right.output)\(right.error)")
    let wrong = town.explain("cars-l", "--log", town.log, "--journal", town.data)
    #expect(wrong.code == .runInvalid, "\(wrong.output)\(wrong.error)")
    #expect(wrong.output.contains("stored under 'cars-1'; the store does not know 'cars-l'"), "\(wrong.output)")
  }

  /// Params and extras have uuids of their own.
  @Test func whatIsNoRecordIsNotLost() throws {
    let server = try LocalServer.start()
    defer { server.stop() }
    let (order, device) = ("aaaaaaaa-4f89-41d3-9a0c-0305e82c0001", "bbbbbbbb-4f89-41d3-9a0c-0305e82c0001")
    let record =
      #"{"uuid":"\#(Self.uuid)","timestamp":"2026-07-28T18:34:22.563Z","coords":{"latitude":48.1,"longitude":11},"#
      + #""extras":{"order":{"id":"\#(order)"}}}"#
    let body = #"{"location":\#(record),"device":{"uuid":"\#(device)","model":"x"},"device_id":"phone-1"}"#
    let client = try BlockingHTTPClient(TransportConfiguration())
    let outcome = client.ask(server.url + "/locations", by: "POST", body: Array(body.utf8))
    guard case .answered(200, reason: _, _) = outcome else { throw ChildProcess.Failure("\(outcome)") }
    let call = CommandCall(["explain", "phone-1", "--journal", server.url])
    #expect(call.code == .ok && call.output.contains("1 stored once as sent"), "\(call.output)")
    #expect(!call.output.contains("lost"), "\(call.output)")
    for uuid in [order, device] {
      let call = CommandCall(["explain", uuid, "--journal", server.url])
      #expect(call.code == .runInvalid && call.output.contains("no source knows it"), "\(call.output)")
    }
  }

  @Test func aJournalThatDoesNotKnowTheRecordIsNotCalledEmpty() throws {
    let server = try LocalServer.start()
    defer { server.stop() }
    try Self.upload(to: server.url)
    let other = "3f2504e0-4f89-41d3-9a0c-0305e82c3399"
    let call = CommandCall(["explain", other, "--journal", server.url])
    #expect(call.code == .runInvalid && call.output.contains("no source knows it"), "\(call.output)")
    #expect(!call.output.contains("which is empty") && call.output.contains("the journal since "), "\(call.output)")
  }
}
