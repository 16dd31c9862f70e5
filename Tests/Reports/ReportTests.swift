import Base
import FoundationEssentials
import Glibc
import Oracle
import Scenario
import Store
import Testing

@testable import FleetSimulator
@testable import Formats
@testable import Reports

/// Everything that is written for people and for programs, from a run with a fault and a missed threshold.
@Suite struct ReportTests {
  private static let run: (summary: RunSummary, map: RunMap?) = {
    let text = """
      { version: 1, name: "a <b>&\\"bold\\" name</b>", seed: 4,
        clock: { mode: "virtual", start: "2026-03-02T10:00:00Z", duration: "10m", settle: "5m" },
        fleets: { cars: { devices: 3, motion: "driving", network: "lte" }, walkers: { devices: 1, motion: "walking" } },
        faults: [{ name: "dark", at: "4m", for: "2m", network: "none" }],
        checks: { ok: "response.status in [200]", small: "request.records < 2" },
        thresholds: { records_lost: ["count==0"], uploads: ["count<1"], geofence_transitions: ["count>=0"],
          "upload_duration{status:500}": ["max<1"] } }
      """
    do {
      let scenario = try ScenarioReader(overrides: [], variable: { _ in nil }).read(text).scenario
      let setup = try RunSetup(scenario)
      let measures = try Measures(scenario, setup)
      let run = try FleetRun(
        setup, store: SQLiteStore(StoreConfiguration(folder: ":memory:")), watchers: [measures])
      var summary = measures.summary(of: try run.run(), hash: "", product: "0")
      summary.violations = [
        .init(invariant: "I3-acked-is-durable", device: "cars-1", uuid: "0f", story: ["made <here>", "gone & lost"])
      ]
      return (summary, run.map(of: scenario))
    } catch { preconditionFailure("\(error)") }
  }()

  /// The names of all elements; throws where the text is not well formed.
  private func tags(_ text: String) throws -> [String: Int] {
    var reader = try XMLReader(Array(text.utf8))
    var tags: [String: Int] = [:]
    while let tag = try reader.nextTag() { tags["\(tag.name)", default: 0] += 1 }
    return tags
  }

  @Test func junitIsWellFormedAndHasACaseForEach() throws {
    let summary = Self.run.summary
    let text = JUnitReport(summary).text
    let tags = try tags(text)
    // And one each for the store, the shards, the end and the ledger.
    let cases = 4 + summary.thresholds.count + summary.checks.count + summary.invariants.count
    #expect(text.ranges(of: "<testcase ").count == cases && tags["testcase"] != nil)
    #expect(text.contains("<failure message=\"is \(MetricText.text(summary.thresholds[1]))\">"))
    #expect(text.contains("<skipped message=\"nothing measured\"/>"))
    #expect(text.contains("a &lt;b&gt;&amp;&quot;bold&quot; name&lt;/b&gt;"))
  }

  /// JUnit is red for whatever keeps a run from passing.
  @Test func junitFailsWithEachReason() throws {
    let shard = try #require(Shard(index: 0, count: 2))
    var good = Self.run.summary
    (good.violations, good.thresholds, good.checks) = ([], [], [])
    good.coverage = [.init(goal: "401-mid-flush", seen: 1)]
    func failures(_ change: (inout RunSummary) -> Void) -> [String] {
      var summary = good
      change(&summary)
      let text = JUnitReport(summary).text
      let cases = text.components(separatedBy: "<testcase ").filter { $0.contains("<failure") }
      #expect(cases.isEmpty == (summary.result == .passed), "\(summary.result)")
      return cases.map { String($0.components(separatedBy: "name=\"")[2].prefix { $0 != "\"" }) }
    }
    #expect(failures { _ in } == [])
    #expect(failures { $0.coverage[0].seen = 0 } == ["covered: 401-mid-flush"])
    #expect(failures { $0.ending = .signal } == ["ran to its end"])
    #expect(failures { $0.missing = [MissingShard(shard, reason: "killed")] } == ["all shards are there"])
    #expect(failures { $0.ledger.lost = 1 } == ["each record in one place"])
    #expect(failures { $0.verification = Verification(.failed, reason: "silent") } == ["storage verified"])
    #expect(failures { $0.findings = [ServerFinding(ServerFinding.notDrained, "full")] } == ["not-drained"])
    good.shard = "0/2"
    #expect(JUnitReport(good).text.contains("name=\"covered: 401-mid-flush\"/>"))
    good.coverage[0].seen = 0
    #expect(JUnitReport(good).text.contains("<skipped message=\"the whole is judged\"/>"))
  }

  @Test func theTerminalTellsRecordsFirst() {
    let text = SummaryText(Self.run.summary, isColoured: false).text
    let lines = text.split(separator: "\n")
    #expect(lines[1].hasPrefix("  records   created ") && lines[1].hasSuffix(", duplicate rows 0"))
    #expect(lines[1].contains(", lost 0, "))
    // The uploads of the settle phase are counted, and not their bytes.
    #expect(lines[2].hasPrefix("  uploads   ") && lines[2].hasSuffix("B in the drives"))
    #expect(
      text.contains("✓ records_lost") && text.contains("✗ uploads") && text.contains("– upload_duration{status:500}"))
    #expect(text.contains("violated: I3-acked-is-durable: device cars-1, record 0f\n    made <here>"))
    #expect(text.hasSuffix("hash \(Self.run.summary.hash)") && !text.contains("\u{1B}"))
    #expect(SummaryText(Self.run.summary, isColoured: true).text.contains("\u{1B}[31m"))
  }

  @Test func limitsHaveUnits() {
    func text(_ selection: String, _ expression: String) -> String {
      MetricText.expression(.init(selection: selection, expression: expression, value: 1, outcome: .passed))
    }
    #expect(text("upload_duration", "p(95)<5000") == "p(95)<5 s" && text("upload_bytes", "max<9") == "max<9 B")
    #expect(
      ["p(95) < 300000", "avg<5400001", "max<93600000"].map { text("upload_duration", $0) } == [
        "p(95) < 5m", "avg<5400001 ms", "max<1d 02h",
      ])
    #expect(text("upload_duration", "count>3") == "count>3" && text("upload_failed", "rate<0.1") == "rate<0.1")
    let summary = Self.run.summary
    #expect(SummaryText(summary, isColoured: false).text.contains("upload_duration{status:500}  max<1 ms"))
    #expect(PageReport(summary, map: nil).text.contains("max&lt;1 ms"))
  }

  /// A line is broken between words, and lesser columns are left out before that.
  @Test(arguments: [60, 75])
  func aNarrowTerminalBreaksNoWordAndNoTable(width: Int) {
    var summary = Self.run.summary
    summary.errors = [
      RequestError(
        purpose: "records", kind: "status 503", message: "the server is busy and says so in many words, which go on",
        fleet: "cars", count: 12, first: .seconds(5), last: .seconds(900),
        sample: .init(device: "cars-0", request: "POST http://127.0.0.1/up", records: 1, body: ""))
    ]
    let wide = SummaryText(summary, isColoured: false).text
    let text = SummaryText(summary, isColoured: false, width: width).text
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.allSatisfy { $0.count <= width || $0.split(separator: " ").count == 1 }, "\(text)")
    let words = Set(wide.split { $0 == " " || $0 == "\n" })
    #expect(text.split { $0 == " " || $0 == "\n" }.allSatisfy(words.contains), "no word is broken")
    #expect(lines.contains { $0.hasPrefix("  upload_duration ") && $0.contains(" ms") })
    #expect(lines.contains { $0.hasPrefix("  status 503  12 ") })
    let painted = SummaryText(summary, isColoured: true, width: width).text
    #expect(painted.split(separator: "\n").count == text.split(separator: "\n").count, "colours have no width")
  }

  /// Nothing is told of a time that the run did not have.
  @Test func marksEndWithTheRun() {
    var summary = Self.run.summary
    let settle = summary.timeline.marks.first { $0.name == Timeline.settling }
    #expect(settle.map { $0.until <= summary.ended } ?? true)
    let ended = Int64(summary.ended.seconds)
    summary.timeline.marks = [
      Timeline.Mark(name: "long", from: .seconds(ended - 60), until: .seconds(ended + 600)),
      Timeline.Mark(name: "never", from: .seconds(ended + 1), until: .seconds(ended + 60)),
    ]
    let text = PageReport(summary, map: nil).text
    #expect(text.contains("– \(ClockText.text(summary.ended))</span>") && text.contains(">long<"))
    #expect(!text.contains(">never<"))
  }

  @Test func likeViolationsAreToldOnce() {
    var summary = Self.run.summary
    summary.violations = (0..<12).map { number in
      .init(
        invariant: "I1-conservation", device: "cars-\(number)", uuid: "0\(number)a",
        story: ["made at 00:0\(number):07", "gone"])
    }
    summary.violations.append(
      .init(invariant: "I1-conservation", device: "vans-1", uuid: nil, story: ["in two places"]))
    let text = PageReport(summary, map: nil).text
    #expect(text.ranges(of: "<article ").count == 2)
    #expect(text.contains("11 more violations with the same story: cars-1, cars-2") && text.contains("in two places"))
    #expect(text.contains(XML.escaped(Invariant.conservation.rule)), "a rule has a sentence")
  }

  @Test func figuresOfFleetsAreFoldedAway() throws {
    let text = PageReport(Self.run.summary, map: nil).text
    let fold = try #require(text.firstRange(of: " by fleet and by tag</summary>"))
    let first = try #require(text.firstRange(of: "upload_duration{fleet:cars}"))
    #expect(fold.upperBound < first.lowerBound)
    for title in ["Uploads by their duration", "Uploads in flight", "Bytes per second"] {
      #expect(text.contains(title))
    }
  }

  @Test func everyOutputSaysWhatWasRunWhenAndWhere() throws {
    var summary = Self.run.summary
    let start = WallInstant(millisecondsSince1970: 1_795_000_000_000)
    summary.origin = RunOrigin(
      command: "rollingroad simulate x --seed 4", host: "build-7, Linux 6.1, 8 processors", start: start,
      end: start.advanced(byMilliseconds: 90_000))
    let outputs = [
      SummaryText(summary, isColoured: false).text, PageReport(summary, map: nil).text, JUnitReport(summary).text,
      summary.json.pretty,
    ]
    for output in outputs {
      #expect(output.contains("rollingroad simulate x --seed 4") && output.contains("build-7, Linux 6.1, 8 processors"))
      #expect(output.contains(start.iso8601Text.prefix(19)))
    }
    #expect(outputs[0].contains(", 90 s by the clock"))
  }

  @Test func theFirstLineNamesWhatWasMissedAndWhatWasNotJudged() {
    var summary = Self.run.summary
    summary.violations = []
    func line() -> String { VerdictText(summary).line }
    #expect(line() == "failed: uploads count<1 was \(NumberText.figure(summary.thresholds[1].value ?? 0))")
    summary.thresholds.append(
      .init(selection: "checks{check:ok}", expression: "rate>0.99", value: 0.982, outcome: .failed))
    #expect(line().hasSuffix(", and 1 more"))
    summary.thresholds.removeAll { $0.selection == "uploads" }
    #expect(line() == "failed: checks{check:ok} rate>0.99 was 98.2 %")
    summary.thresholds = [
      .init(
        selection: "drain_time", expression: "p(95)<300000", value: 483_000, outcome: .notJudged, stretch: 600,
        reason: "fast")
    ]
    #expect(line() == "passed; drain_time p(95)<5m not judged: fast")
    #expect(
      MetricText.text(summary.thresholds[0]).hasPrefix("805 ms to 8m 03s, not judged: fast"))
    summary.thresholds[0].outcome = .failed
    #expect(line() == "failed: drain_time p(95)<5m was 805 ms to 8m 03s")
    summary.thresholds = []
    summary.coverage = [.init(goal: "401-mid-flush", seen: 0)]
    #expect(line().hasPrefix("not covered; never seen 401-mid-flush with 4 devices: run more of them (--devices)"))
  }

  @Test func theFirstLineSaysWhatWasNotCompared() {
    var summary = Self.run.summary
    (summary.violations, summary.thresholds) = ([], [])
    summary.verification = Verification(.verified, comparesContents: true, uncompared: ["timestamp"])
    #expect(VerdictText(summary).line == "passed; timestamp not compared: no entry shows it in a readable form")
    summary.verification.uncompared = ["latitude", "longitude"]
    summary.verification.lateRecords = 2
    #expect(
      VerdictText(summary).line.contains(
        "; latitude and longitude not compared: no entry shows them in a readable form; at least 2 "))
    (summary.ledger, summary.verification) = (LedgerSums(), Verification(.verified))
    #expect(VerdictText(summary).line == "passed; no phone has recorded anything")
  }

  /// Of ten waiting records the server has refused four; the others were on their way.
  @Test func theFirstLineSaysThatTheSettlePhaseWasTooShort() {
    func line(_ outcome: InvariantVerdict.Outcome, refused: Int = 4, isCut: Bool = false) -> String {
      var (summary, counts) = (Self.run.summary, ServerCounts())
      (counts.waitingRecords, counts.isCut) = (refused, isCut)
      (summary.ledger.pending, summary.serverCounts) = (10, counts)
      summary.invariants = [.init(name: Invariant.drain.rawValue, outcome: outcome)]
      return VerdictText(summary).line
    }
    let words = "6 records still waited, and were on their way, when the settle phase ended: set a longer clock.settle"
    #expect(line(.notJudged).contains(words), "\(line(.notJudged))")
    let others = [line(.violated), line(.notJudged, refused: 10), line(.notJudged, isCut: true)]
    #expect(others.allSatisfy { !$0.contains("settle") })
  }

  /// Where a template leaves the uuid out, no `target.verify` would help.
  @Test(
    arguments: [
      (nil, "needs target.verify to check"), ("no record of cars-0 has a uuid", "could not check"),
    ] as [(String?, String)])
  func aStrictRunSaysWhyTheStoreWasNotChecked(reason: String?, words: String) {
    var summary = Self.run.summary
    summary.verification = Verification(.notAsked, reason: reason)
    summary.judgeStrictly()
    #expect(summary.findings.map(\.text).contains("--strict \(words) what is stored"))
  }

  /// A signal has cut the settle phase short, and a longer one would not have helped.
  @Test func theFirstLineDoesNotBlameTheSettlePhaseThatASignalHasCut() {
    var summary = Self.run.summary
    (summary.ending, summary.ledger.pending, summary.serverCounts) = (.signal, 10, nil)
    summary.invariants = [.init(name: Invariant.drain.rawValue, outcome: .notJudged)]
    #expect(!VerdictText(summary).line.contains("settle"), "\(VerdictText(summary).line)")
  }

  /// Those that a page took are named beside the others.
  @Test func theFirstLineSaysWhatPagesHaveTaken() {
    var summary = Self.run.summary
    summary.verification = Verification(.verified, comparesContents: true)
    (summary.ledger.lost, summary.ledger.lostToPages, summary.ledger.misled) = (2, 3, 5)
    summary.invariants = [.init(name: Invariant.ackedIsDurable.rawValue, outcome: .violated, violations: 5)]
    let words =
      "2 acknowledged records lost, 3 records deleted after an HTML page with status 200 (I3-acked-is-durable)"
    #expect(VerdictText(summary).line.contains(words), "\(VerdictText(summary).line)")
  }

  /// Where three digits would show it on the right side.
  @Test(arguments: [
    ("upload_duration", "p(95)<144.127", 144.255, "p(95)<144.127 ms was 144.255 ms"),
    ("upload_duration", "max<=5000", 5_000.4, "max<=5 s was 5,000.4 ms"),
    ("upload_duration", "max<5000", 5_100, "max<5 s was 5.10 s"),
    ("upload_failed", "rate<=0.01", 0.010_02, "rate<=0.01 was 1.002 %"),
    ("uploads", "rate>=2", 1.999_6, "rate>=2 was 1.9996/s"), ("uploads", "count<1000", 1_000, "count<1000 was 1,000"),
  ])
  func aNearMissShowsThatItIsOne(selection: String, expression: String, value: Double, words: String) {
    let verdict = ThresholdVerdict(selection: selection, expression: expression, value: value, outcome: .failed)
    #expect(MetricText.sentence(verdict) == "\(selection) \(words)")
  }

  @Test func aCheckWithoutAnAnswerThatTestsItIsNoSuccess() {
    var summary = Self.run.summary
    summary.checks = [.init(name: "not-refused", held: 0, failed: 0)]
    let text = SummaryText(summary, isColoured: false).text
    #expect(text.contains("– not-refused  not exercised") && !text.contains("✓ not-refused"), "\(text)")
    #expect(JUnitReport(summary).text.contains("<skipped message=\"not exercised by any answer\"/>"))
  }

  @Test func thePageNeedsNothingFromOutsideAndRunsItsOwnScriptAlone() throws {
    let page = PageReport(Self.run.summary, map: Self.run.map).text
    #expect(page.contains("default-src 'none'; style-src 'nonce-"))
    #expect(page.ranges(of: "<script").count == 1 && page.contains("<script nonce=\"r"))
    // The name of the namespace is no address.
    let addressless = page.replacing("'http://www.w3.org/2000/svg'", with: "")
    for word in ["http:", "https:", "style=\"", "onload", "<b>", "url(", "innerHTML", "fetch("] {
      #expect(!addressless.contains(word), "\(word)")
    }
    // Where a viewer runs no script there are no buttons, and the browser's tip of each interval.
    #expect(page.contains("class=\"zoom\" role=\"group\" aria-label=\"Interval of the charts\" hidden>"))
    #expect(page.contains("<title>00:00\np99: "))
    let map = try #require(Self.run.map)
    #expect(map.tracks.count == 4 && map.tracks.allSatisfy { $0.places.count > 1 } && !map.streets.isEmpty)
  }

  private static let browser = "/usr/bin/chromium"

  /// In the browser that people have; without one on the machine there is nothing to see.
  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: browser), "there is no chromium on this machine"))
  func theBrowserDrawsIt() throws {
    let folder = FileManager.default.temporaryDirectory.path() + "/report-\(UUID())"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer {
      do { try FileManager.default.removeItem(atPath: folder) } catch { Issue.record(error) }
    }
    let page = PageReport(Self.run.summary, map: Self.run.map).text
    try Data(page.utf8).write(to: URL(filePath: folder + "/report.html"))
    let command =
      "\(Self.browser) --headless --no-sandbox --disable-gpu --user-data-dir=\(folder)/profile --virtual-time-budget=2000"
      + " --enable-logging=stderr --dump-dom file://\(folder)/report.html > \(folder)/dom 2> \(folder)/log"
    let status = unsafe system(command)
    try #require(status == 0)
    let dom = String(decoding: try Data(contentsOf: URL(filePath: folder + "/dom")), as: UTF8.self)
    let log = String(decoding: try Data(contentsOf: URL(filePath: folder + "/log")), as: UTF8.self)
    #expect(dom.ranges(of: "<svg").count >= 8 && dom.contains("</footer>"))
    #expect(dom.ranges(of: "class=\"track ").count == 4)
    #expect(!log.contains("Content Security Policy") && !log.contains("CONSOLE"), "\(log)")
  }
}
