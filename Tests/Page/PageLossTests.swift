import Glibc
import JSON
import Support
import Testing
import Threaded

/// A server that hangs, dies and comes back: a process of its own.
@Suite(.serialized, .waits, .enabled(if: Browser.isWanted, Browser.remedy))
final class PageLossTests: PageStage {
  private static let isLost = "document.getElementById('link').dataset.state === 'lost'"
  private static let isLive = "document.getElementById('link').dataset.state === 'live'"
  /// As faint as a text may be that is to be read.
  private static let isDimmed =
    "getComputedStyle(document.getElementById('figure-devices')).color === getComputedStyle(document.querySelector('.figures dt')).color && getComputedStyle(document.getElementById('map')).opacity < 0.6"

  private func serve(at address: String = "127.0.0.1:0") throws -> (server: SpokenChild, address: String) {
    let program = BuiltProgram.path(of: "rollingroad")
    let server = try SpokenChild([program, "serve", "--listen", address, "--data", ":memory:"])
    return (server, try server.line(beginningWith: "listening http://"))
  }

  private func tellsOf(_ page: BrowserPage, _ address: String) throws {
    try page.wait(until: Self.isLost)
    let said = try page.text("document.getElementById('lost-why').textContent")
    #expect(said.hasPrefix("No answer from \(address) since "), "\(said)")
    try page.wait(until: "document.getElementById('lost-again').textContent.startsWith('Trying again ')")
    #expect(try page.evaluate("document.getElementById('lost').getBoundingClientRect().height > 0") == .bool(true))
    #expect(try page.evaluate(Self.isDimmed) == .bool(true))
    #expect(
      try page.evaluate("document.querySelector('#panel-faults [type=submit]').matches(':disabled')") == .bool(true))
  }

  @Test func aServerThatHangsIsToldAndSoIsThatItGoesOn() throws {
    let (server, address) = try serve()
    try browser.withPage("http://\(address)/") { page in
      try page.wait(until: Self.isLive)
      try page.click("#tab-faults")
      try page.evaluate("document.querySelector('[name=device]').focus()")
      try page.type("van")
      server.process.signal(SIGSTOP)
      defer { server.process.signal(SIGCONT) }
      try page.evaluate(
        """
        void import('/page/api.js').then(api => api.put('faults', { faults: [] })).catch(error => { window.said = error.message })
        """)
      try tellsOf(page, address)
      try page.wait(until: "window.said === 'No answer from \(address).'")
      server.process.signal(SIGCONT)
      try page.wait(until: Self.isLive)
      try page.wait(until: "document.getElementById('lost').hidden && !(\(Self.isDimmed))")
      #expect(
        try page.evaluate("document.querySelector('#panel-faults [type=submit]').matches(':disabled')") == .bool(false))
      #expect(try page.evaluate("document.activeElement.name + document.activeElement.value") == "devicevan")
    }
  }

  @Test(arguments: [false, true])
  func whatWasTrueBeforeCanStillBeRead(isDark: Bool) throws {
    let (server, address) = try serve()
    let port = try #require(address.split(separator: ":").last.flatMap { UInt16($0) })
    var look = BrowserPage.Look()
    look.isDark = isDark
    try browser.withPage("http://\(address)/#dock=log", look) { page in
      try page.wait(until: Self.isLive)
      try Uploader(port: port).record(1, of: "van-1")
      try chooseFirst(page)
      try page.wait(until: "document.querySelector('#log-rows .request') !== null")
      server.process.signal(SIGKILL)
      _ = server.process.exitCode()
      try tellsOf(page, address)
      #expect(try page.text(Contrast.faint) == "")
      try page.click("#tab-runs")
      #expect(try page.text(Contrast.faint) == "", "runs")
    }
  }

  /// Nothing is left of the one before, whatever the page had seen of it.
  @Test func aServerThatCameBackEmptyHasNoDevices() throws {
    let (server, address) = try serve()
    let port = try #require(address.split(separator: ":").last.flatMap { UInt16($0) })
    try browser.withPage("http://\(address)/") { page in
      try page.wait(until: Self.isLive)
      try Uploader(port: port).record(1, of: "van-1")
      try page.wait(until: "document.getElementById('list-count').textContent === '1 device'")
      server.process.signal(SIGKILL)
      _ = server.process.exitCode()
      try tellsOf(page, address)
      #expect(try page.text("document.getElementById('figure-devices').textContent") == "1")
      let again = try serve(at: address)
      try page.wait(until: Self.isLive)
      try page.wait(until: "document.getElementById('list-count').textContent === '0 devices'")
      withExtendedLifetime(again) {}
    }
  }

  /// The figures come every second: as many as three may be missing, and one may be late.
  @Test func threeMissingFiguresAreALoss() throws {
    try withPage { page, _ in
      let waited = try page.evaluate(
        "import('/page/api.js').then(({ silence }) => silence.tickMilliseconds * silence.ticks)")
      guard case .integer(let milliseconds) = waited else { throw Browser.Failure(description: "\(waited)") }
      #expect(milliseconds > 2_000 && milliseconds < 3_000)
    }
  }
}
