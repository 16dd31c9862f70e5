import FoundationEssentials
import Glibc
import JSON
import Support
import Synchronization
import Testing
import Threaded

/// The report of a run and the comparison of two, as a person opens them.
@Suite(.serialized, .waits, .enabled(if: Browser.isWanted, Browser.remedy))
final class ReportPageTests {
  private let browser: LentBrowser
  private let folder: String

  init() throws {
    browser = try LentBrowser()
    folder = "/tmp/rollingroad-report-\(getpid())-\(UInt64.random(in: 0...UInt64.max))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  deinit { do { try FileManager.default.removeItem(atPath: folder) } catch {} }

  private func run(_ words: String...) throws -> Int32 {
    try SpokenChild([BuiltProgram.path(of: "rollingroad")] + words).finish()
  }

  private static let isThere = "document.readyState === 'complete' && document.querySelector('table') !== null"

  /// Tables whose last column, or for `columns` another, is not wholly on the screen.
  private static func cut(_ column: String) -> String {
    """
    (() => {
      document.querySelectorAll('details').forEach(node => { node.open = true })
      return [...document.querySelectorAll('table')].filter(table => [...table.rows].some(({ cells }) => {
        const cell = \(column)
        const box = cell.getBoundingClientRect()
        const frame = table.parentElement.getBoundingClientRect()
        return box.right > Math.min(frame.right, innerWidth) + 1 || cell.scrollWidth > cell.clientWidth + 1
      })).map(table => table.caption.textContent).join(', ')
    })()
    """
  }

  @Test func onADeskEveryTableShowsItsResult() throws {
    try browser.withPage(MadeRun.withSeed(1).report, BrowserPage.Look(width: 1_440, height: 900)) { page in
      try page.wait(until: Self.isThere)
      #expect(try page.text(Self.cut("cells[cells.length - 1]")) == "")
      #expect(try page.evaluate("document.documentElement.scrollWidth <= innerWidth") == .bool(true))
    }
  }

  /// Without a script, by its tick alone.
  @Test func aChartIsEnlarged() throws {
    try browser.withPage(MadeRun.withSeed(1).report, BrowserPage.Look(width: 1_440, height: 900)) { page in
      try page.wait(until: Self.isThere)
      let chart = "document.querySelector('.charts .chart')"
      let sizes =
        "(() => { const box = \(chart).getBoundingClientRect(); return [box.width, box.height, [...\(chart).querySelectorAll('.axis text')].filter(node => node.getBoundingClientRect().width > 0).length].map(Math.round).join() })()"
      func parts(_ text: String) -> [Int] { text.split(separator: ",").compactMap { Int($0) } }
      let small = parts(try page.text(sizes))
      try page.click(".charts .chart .enlarge input")
      let large = parts(try page.text(sizes))
      #expect(zip(small, large).allSatisfy { $0 < $1 } && large[0] > 1_000, "\(small) \(large)")
    }
  }

  /// What the charts over time show: the words at the axes of the second one, its line, and the message.
  private static let shown =
    """
    (() => {
      const chart = [...document.querySelectorAll('.timed')].find(node => node.querySelector('h3').textContent === 'Backlog')
      return {
        axes: [...new Set([...document.querySelectorAll('.timed .axis')].map(node => node.textContent))].length,
        times: [...chart.querySelectorAll('.axis text:not(.minor)')].map(node => node.textContent),
        levels: [...chart.querySelectorAll('.y text')].map(node => node.textContent),
        line: chart.querySelector('.line').getAttribute('d'),
        status: document.querySelector('.zoom [role=status]').textContent, address: location.hash,
      }
    })()
    """

  /// Of numbers in a path, those that are farther from each other than the eye can tell.
  private static func differences(_ one: String, _ other: String) -> Int {
    func numbers(_ text: String) -> [Double] { text.split { "ML ".contains($0) }.compactMap { Double($0) } }
    let (first, second) = (numbers(one), numbers(other))
    return zip(first, second).count { ($0 - $1).magnitude > 0.3 } + abs(first.count - second.count)
  }

  @Test func anIntervalIsLookedAtClosely() throws {
    let drawing = ".timed .drawing"
    try browser.withPage(MadeRun.withSeed(1).report, BrowserPage.Look(width: 1_440, height: 900)) { page in
      try page.wait(until: Self.isThere)
      func look() throws -> JSONValue { try page.evaluate(Self.shown) }
      func line(_ look: JSONValue) -> String { look["line"]?.string ?? "" }
      let whole = try look()

      try page.drag(drawing, from: 0.25, to: 0.5)
      let part = try look()
      let status = part["status"]?.string ?? ""
      #expect(part["axes"] == .integer(1) && part["times"] != whole["times"], "all charts show the same time: \(part)")
      #expect((part["times"]?.elements.count ?? 0) >= 3 && line(part) != line(whole))
      #expect(status.contains(" intervals of ") && part["address"]?.string?.hasPrefix("#from=") == true, "\(part)")

      // The address alone leads there.
      try page.reload()
      try page.wait(
        until: "document.querySelector('.zoom [role=status]').textContent === \(JSONValue.string(status).text)")
      #expect(try look() == part)

      try page.click(".zoom button:last-of-type")
      let again = try look()
      #expect(again["times"] == whole["times"] && again["levels"] == whole["levels"])
      #expect(Self.differences(line(again), line(whole)) == 0, "what the script draws is what the page had")
      #expect(try page.problems() == [])
    }
  }

  @Test func theValuesOfAnInstantStandBesideAllNames() throws {
    let keys = "[...document.querySelectorAll('.timed .key b')].map(node => node.textContent)"
    try browser.withPage(MadeRun.withSeed(1).report, BrowserPage.Look(width: 1_440, height: 900)) { page in
      try page.wait(until: Self.isThere)
      #expect(try page.evaluate("\(keys).every(text => text === '')") == .bool(true))
      try page.point(at: ".timed .drawing", 0.5)
      #expect(try page.evaluate("\(keys).length > 8 && \(keys).every(text => /\\d|–/.test(text))") == .bool(true))
      #expect(
        try page.evaluate(
          "document.querySelectorAll('.at[visibility=visible]').length === document.querySelectorAll('.timed').length")
          == .bool(true))
      // The tip of the browser would say the same again.
      #expect(try page.evaluate("document.querySelectorAll('.hover title').length") == .integer(0))
    }
  }

  /// Fields, buttons and the slider alone.
  @Test func anIntervalIsLookedAtWithTheKeyboard() throws {
    let focus = "document.activeElement"
    let status = "document.querySelector('.zoom [role=status]').textContent"
    try browser.withPage(MadeRun.withSeed(1).report, BrowserPage.Look(width: 1_440, height: 900)) { page in
      try page.wait(until: Self.isThere)
      try page.evaluate("document.querySelector('.zoom input').select()")
      try page.type("10:00")
      try page.press("Tab")
      #expect(try page.text(status).hasPrefix("09:55 to "))
      try page.evaluate("\(focus).select()")
      try page.type("soon")
      try page.press("Enter")
      #expect(try page.evaluate("document.querySelector('.zoom input:invalid') === \(focus)") == .bool(true))
      #expect(try page.text(status).hasPrefix("09:55 to "), "what is no time changes nothing")
      for _ in 1...7 where try page.text("\(focus).type") != "range" { try page.press("Tab") }
      let value = "\(focus).getAttribute('aria-valuetext')"
      let before = try page.text(value)
      try page.press("Home")
      try page.wait(until: "\(value) !== \(JSONValue.string(before).text)")
      #expect(try page.text(value).hasPrefix("09:55. Upload duration: p99: "))
      try page.press("Escape")
      #expect(try page.text(status).hasPrefix("Drag across"))
      let unnamed =
        "[...document.querySelectorAll('.wide')].filter(node => node.tabIndex !== 0 || !node.ariaLabel).length"
      #expect(try page.evaluate(unnamed) == .integer(0), "tables that scroll are reached by the keyboard")
    }
  }

  /// Rows of many columns are cards there: nothing is behind the edge, and names are whole.
  @Test func onAPhoneTheReportShowsAllOfItsTables() throws {
    try browser.withPage(MadeRun.withSeed(1).report, .phone) { page in
      try page.wait(until: Self.isThere)
      #expect(try page.text(Self.cut("cells[cells.length - 1]")) == "")
      #expect(try page.evaluate("document.documentElement.scrollWidth <= innerWidth") == .bool(true))
      let label = "getComputedStyle(document.querySelector('.stacked td'), '::before').content"
      #expect(try page.text(label) == #""count""#, "each value says what it is")
    }
  }

  @Test(arguments: [false, true])
  func everyWordOfTheReportCanBeRead(isDark: Bool) throws {
    var look = BrowserPage.Look(width: 1_440, height: 900)
    look.isDark = isDark
    try browser.withPage(MadeRun.withSeed(1).report, look) { page in
      try page.wait(until: Self.isThere)
      try page.point(at: ".timed .drawing", 0.5)
      let faint = try page.text(Contrast.faint)
      #expect(faint == "")
    }
  }

  @Test func onAPhoneAComparisonShowsBothValues() throws {
    let runs = try [1, 2].map { try MadeRun.withSeed($0).folder }
    _ = try run("compare", runs[0], runs[1], "--out", "\(folder)/compared")
    let url = "file://\(folder)/compared/compare.html"
    try browser.withPage(url, .phone) { page in
      try page.wait(until: Self.isThere)
      #expect(try page.text(Self.cut("cells[cells.length - 1]")) == "")
      #expect(try page.evaluate("document.documentElement.scrollWidth <= innerWidth") == .bool(true))
    }
    try browser.withPage(url, BrowserPage.Look(width: 1_440, height: 900)) { page in
      try page.wait(until: Self.isThere)
      #expect(try page.text(Self.cut("cells[cells.length - 1]")) == "")
    }
  }
}

/// A run whose report is only looked at: it takes seconds of processor time, and is made once for all tests.
private struct MadeRun {
  let folder: String
  var report: String { "file://\(folder)/report.html" }

  private static let made = Mutex<[Int: MadeRun]>([:])
  private static let place = "/tmp/rollingroad-reports-\(getpid())-\(UInt64.random(in: 0...UInt64.max))"
  private static let removesAtExit: Void = {
    atexit { do { try FileManager.default.removeItem(atPath: MadeRun.place) } catch {} }
  }()

  static func withSeed(_ seed: Int) throws -> MadeRun {
    removesAtExit
    return try made.withLock { made in
      if let run = made[seed] { return run }
      let run = MadeRun(folder: "\(place)/\(seed)")
      // Of errors and of invariants that are not judged there is much to tell.
      let words = ["simulate", "deploy-503", "--devices", "40", "--seed", "\(seed)", "--quiet", "--out", run.folder]
      _ = try SpokenChild([BuiltProgram.path(of: "rollingroad")] + words).finish()
      made[seed] = run
      return run
    }
  }
}
