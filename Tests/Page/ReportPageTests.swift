import FoundationEssentials
import Glibc
import JSON
import Support
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

  private func simulate(_ name: String, seed: String) throws {
    // Of errors and of invariants that are not judged there is much to tell.
    let words = ["simulate", "deploy-503", "--devices", "40", "--seed", seed, "--quiet", "--out", "\(folder)/\(name)"]
    _ = try SpokenChild([BuiltProgram.path(of: "rollingroad")] + words).finish()
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
    try simulate("one", seed: "1")
    try browser.withPage("file://\(folder)/one/report.html", BrowserPage.Look(width: 1_440, height: 900)) { page in
      try page.wait(until: Self.isThere)
      #expect(try page.text(Self.cut("cells[cells.length - 1]")) == "")
      #expect(try page.evaluate("document.documentElement.scrollWidth <= innerWidth") == .bool(true))
    }
  }

  /// Without a script, by its tick alone.
  @Test func aChartIsEnlarged() throws {
    try simulate("one", seed: "1")
    try browser.withPage("file://\(folder)/one/report.html", BrowserPage.Look(width: 1_440, height: 900)) { page in
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

  @Test func onAPhoneAComparisonShowsBothValues() throws {
    for (name, seed) in [("one", "1"), ("two", "2")] { try simulate(name, seed: seed) }
    _ = try run("compare", "\(folder)/one", "\(folder)/two", "--out", "\(folder)/compared")
    let url = "file://\(folder)/compared/compare.html"
    try browser.withPage(url, .phone) { page in
      try page.wait(until: Self.isThere)
      #expect(try page.text(Self.cut("cells[2]")) == "")
      #expect(try page.evaluate("document.documentElement.scrollWidth <= innerWidth") == .bool(true))
    }
    try browser.withPage(url, BrowserPage.Look(width: 1_440, height: 900)) { page in
      try page.wait(until: Self.isThere)
      #expect(try page.text(Self.cut("cells[cells.length - 1]")) == "")
    }
  }
}
