import Base
import FleetSimulator
import Network
import Oracle
import Scenario
import Store
import Support
import Testing

/// The figures of a run are to be read over a socket while it goes on.
@Suite struct MetricsListenerTests {
  private func ask(_ listener: MetricsListener, _ line: String = "GET /metrics") throws -> String {
    let client = try LoopbackClient(port: listener.port)
    try client.send("\(line) HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    return try client.receiveToEnd().text
  }

  private func value(_ sample: String, in page: String) -> Double? {
    page.split(separator: "\n").first { $0.hasPrefix(sample + " ") }.flatMap { Double($0.dropFirst(sample.count + 1)) }
  }

  @Test func theFiguresGrowWhileTheRunGoesOn() throws {
    let text = """
      { version: 1, name: "live", seed: 9, clock: { duration: "20m", settle: "5m" },
        fleets: { cars: { devices: 8, motion: "driving", network: "lte" },
                  walkers: { devices: 1, motion: "walking", network: "wifi" } } }
      """
    let scenario = try ScenarioReader().read(text).scenario
    let setup = try RunSetup(scenario)
    let measures = try Measures(scenario, setup)
    let listener = try MetricsListener(listen: "127.0.0.1:0", renewal: .zero)
    defer { listener.stop() }
    var pages: [String] = []
    var failure: (any Error)?
    let run = try FleetRun(setup, store: SQLiteStore(StoreConfiguration(folder: ":memory:")), watchers: [measures])
    let report = try run.run { _, _ in
      listener.show(measures)
      do { pages.append(try ask(listener)) } catch { failure = error }
    }
    #expect(failure == nil)
    try #require(!pages.isEmpty)
    listener.show(measures)
    let last = try ask(listener)
    let sample = "rollingroad_fleet_records_created_total{fleet=\"cars\"}"
    let early = try #require(value(sample, in: pages[0]))
    let late = try #require(value(sample, in: last))
    #expect(early > 0 && early < late)
    #expect(Int(late) <= report.sums.created)
    let failed = ["cars", "walkers"].compactMap {
      value("rollingroad_fleet_upload_failed_total{fleet=\"\($0)\",is=\"true\"}", in: last)
    }
    #expect(failed.count == 2 && Int(failed[0] + failed[1]) == measures.progress.errors)
    let median = value("rollingroad_fleet_upload_duration_seconds{fleet=\"walkers\",quantile=\"0.5\"}", in: last)
    #expect((0.01...1).contains(median ?? 0))
    #expect(last.contains("# TYPE rollingroad_fleet_upload_duration_seconds summary"))
    for absent in ["records_lost", "tls_handshakes", "generator_cpu"] { #expect(!last.contains(absent), "\(absent)") }
  }

  @Test func unknownPathsAndMethodsAreErrors() throws {
    let listener = try MetricsListener(listen: "127.0.0.1:0")
    defer { listener.stop() }
    #expect(try ask(listener).hasPrefix("HTTP/1.1 200 "))
    #expect(try ask(listener, "GET /").hasPrefix("HTTP/1.1 404 "))
    #expect(try ask(listener, "POST /metrics").hasPrefix("HTTP/1.1 405 "))
    #expect(try ask(listener, "GET").hasPrefix("HTTP/1.1 400 "))
    #expect(throws: NetworkError.self) { _ = try MetricsListener(listen: "127.0.0.1:\(listener.port)") }
    #expect(throws: NetworkError.self) { _ = try MetricsListener(listen: "somewhere") }
  }
}
