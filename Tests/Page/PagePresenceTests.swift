import JSON
import Testing
import Threaded

/// A browser has six connections to a host, for all tabs and the pages that it remembers.
@Suite(.serialized, .waits, .enabled(if: Browser.isWanted, Browser.remedy))
final class PagePresenceTests: PageStage {
  /// What the browser tells a page whose tab is covered by another, or that is seen again.
  private static func see(_ isSeen: Bool, of view: String = "window") -> String {
    """
    Object.defineProperty(\(view).document, 'hidden', { value: \(!isSeen), configurable: true })
    \(view).document.dispatchEvent(new \(view).Event('visibilitychange'))
    """
  }

  private static func isLive(_ view: String) -> String {
    "\(view).document.getElementById('link')?.dataset.state === 'live'"
  }

  @Test func theSeventhTabIsServedToo() throws {
    try withPage { page, uploader in
      // A browser opens a window for a click.
      try page.evaluate(
        "window.tabs = []; document.querySelector('h1').onclick = () => tabs.push(window.open(location.href, '', 'popup'))"
      )
      try page.evaluate(Self.see(false))
      for number in 0..<7 {
        try page.click("h1")
        try page.wait(until: Self.isLive("tabs[\(number)]"))
        try page.evaluate(Self.see(false, of: "tabs[\(number)]"))
      }
      try page.evaluate(Self.see(true))
      try uploader.record(1, of: "van-1")
      try page.wait(until: "document.getElementById('list-count').textContent === '1 device'")
      try page.evaluate("for (const tab of tabs) tab.close()")
    }
  }

  /// What came while nothing was heard is there with the stream.
  @Test func aPageThatIsSeenAgainIsWhole() throws {
    try withPage(before: { try $0.record(1, of: "van-1") }) { page, uploader in
      try page.wait(until: "document.getElementById('list-count').textContent === '1 device'")
      for leaves in ["visibilitychange", "pagehide"] {
        let (leave, come) =
          leaves == "pagehide"
          ? ("dispatchEvent(new Event('pagehide'))", "dispatchEvent(new Event('pageshow'))")
          : (Self.see(false), Self.see(true))
        try page.evaluate(leave)
        try page.wait(until: "performance.getEntriesByType('resource').some(({ name }) => name.endsWith('/live'))")
        try page.evaluate("performance.clearResourceTimings()")
        try uploader.record(2, of: "van-\(leaves)")
        #expect(try page.text("document.getElementById('link').dataset.state") == "live", "nothing is lost")
        #expect(try page.evaluate("document.getElementById('lost').hidden") == .bool(true))
        try page.evaluate(come)
        let names = "[...document.querySelectorAll('.row-name')].map(node => node.textContent)"
        try page.wait(until: "\(names).includes('van-\(leaves)')")
      }
      try page.wait(until: "document.getElementById('figure-devices').textContent === '3'")
    }
  }
}
