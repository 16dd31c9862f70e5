import IngestServer
import ServerSupport
import Testing

/// The live page in a real browser against a real server. The suites are several so that they run side by side: each waits for
/// its browser most of the time.
class PageStage {
  let browser: LentBrowser

  init() throws { browser = try LentBrowser() }

  /// A server, the page of it in front of its user, and at the end nothing that the browser complained about.
  func withPage(
    _ look: BrowserPage.Look = BrowserPage.Look(), path: String = "/", problemsExpected: Int = 0, isOpen: Bool = true,
    configure: (inout ServerConfiguration) -> Void = { _ in }, before: (Uploader) throws -> Void = { _ in },
    _ body: (BrowserPage, Uploader) throws -> Void
  ) throws {
    var configuration = ServerConfiguration.loopback(loops: 1)
    configure(&configuration)
    let server = try IngestServer(configuration)
    defer { server.stop(within: 1) }
    let uploader = Uploader(port: server.port)
    try before(uploader)
    try browser.withPage(server.url + path, look) { page in
      if isOpen { try page.wait(until: "document.getElementById('link').dataset.state === 'live'") }
      try body(page, uploader)
      let problems = try page.problems()
      #expect(problems.count == problemsExpected, "\(problems)")
    }
  }

  func chooseFirst(_ page: BrowserPage) throws {
    try page.click(".list-row:not([hidden])")
    try page.wait(until: "document.querySelector('.device-head h2') !== null")
  }
}
