import Glibc
import Synchronization

/// The browser of one test. A start takes a second of processor time, so that browsers are used again. A browser that failed its
/// test is not.
final class LentBrowser {
  private static let idle = Mutex<[Browser]>([])
  private static let removesAtExit: Void = {
    atexit { LentBrowser.idle.withLock { $0.removeAll() } }
  }()

  let browser: Browser
  /// Whether the last page was given back in order.
  private var isSound = true

  init() throws {
    LentBrowser.removesAtExit
    browser = try LentBrowser.idle.withLock { $0.popLast() } ?? Browser()
  }

  /// A page of the browser for as long as `body` takes.
  func withPage<Result>(
    _ url: String, _ look: BrowserPage.Look = BrowserPage.Look(), _ body: (BrowserPage) throws -> Result
  ) throws -> Result {
    isSound = false
    let page = try BrowserPage(browser, url, look)
    let result = try body(page)
    try page.end()
    isSound = true
    return result
  }

  deinit {
    guard isSound else { return }
    browser.forgetEvents()
    LentBrowser.idle.withLock { $0.append(browser) }
  }
}
