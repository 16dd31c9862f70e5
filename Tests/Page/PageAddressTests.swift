import JSON
import Testing
import Threaded

/// What is looked at stands in the address.
@Suite(.serialized, .waits, .enabled(if: Browser.isWanted, Browser.remedy))
final class PageAddressTests: PageStage {
  private let fill = { (uploader: Uploader) throws in
    try uploader.record(1, of: "van-1")
    _ = try uploader.post("/r/test-1/locations", Uploader.body(1), device: "van-1")
  }
  private static func chosen(_ name: String) -> String {
    "document.querySelector('.device-head h2')?.textContent === '\(name)'"
  }
  private static func isOpen(_ tab: String) -> String {
    "document.getElementById('tab-\(tab)').getAttribute('aria-selected') === 'true'"
  }

  @Test func aLinkShowsWhatItNames() throws {
    let link = "/#device=van-1&of=test-1&dock=log&find=van&hide=silent&order=worst&groups=run&span=600&log-status=2xx"
    try withPage(path: link, before: fill) { page, _ in
      try page.wait(until: Self.chosen("van-1"))
      #expect(try page.text("document.querySelector('[data-fact=run] dd').textContent") == "test-1")
      #expect(try page.text("document.body.dataset.dock") == "log")
      let fields =
        "['#search', '#list-order', '#list-groups', '#chart-span', '[name=log-status]'].map(id => document.querySelector(id).value).join()"
      #expect(try page.text(fields) == "van,worst,run,600,2xx")
      #expect(
        try page.text("document.querySelector('.legend-item[data-state=silent]').getAttribute('aria-pressed')")
          == "false")
      try page.reload()
      try page.wait(until: "document.getElementById('link')?.dataset.state === 'live' && \(Self.chosen("van-1"))")
      #expect(try page.text(fields) == "van,worst,run,600,2xx")
    }
  }

  @Test func theWayBackLeadsToWhatWasShown() throws {
    try withPage(before: fill) { page, _ in
      try page.wait(until: "document.querySelectorAll('.list-row:not([hidden])').length === 2")
      try page.click(".list-row:nth-of-type(1)")
      try page.wait(until: Self.chosen("van-1"))
      try page.click("#tab-faults")
      try page.wait(until: "location.hash.includes('tab=faults')")
      try page.evaluate("history.back()")
      try page.wait(until: Self.isOpen("device"))
      try page.evaluate("history.back()")
      try page.wait(until: "document.querySelector('.device-head') === null")
      try page.evaluate("history.go(2)")
      try page.wait(until: "\(Self.isOpen("faults")) && \(Self.chosen("van-1"))")
    }
  }

  @Test func aLinkToADeviceThatIsGoneSaysSo() throws {
    try withPage(path: "/#device=gone", before: fill) { page, _ in
      try page.wait(until: "document.getElementById('panel-device').textContent === 'gone is not on the server.'")
    }
  }

  /// Arrow keys run through the list: each step would be one of the way back.
  @Test func aRunThroughTheListIsOneStep() throws {
    try withPage(before: { for name in ["a", "b", "c"] { try $0.record(1, of: name) } }) { page, _ in
      try page.wait(until: "document.querySelectorAll('.list-row:not([hidden])').length === 3")
      let before = try page.evaluate("history.length")
      try page.evaluate("document.getElementById('list').focus()")
      for _ in 0..<3 { try page.press("ArrowDown") }
      try page.wait(until: "\(Self.chosen("c")) && location.hash.includes('device=c')")
      #expect(try page.evaluate("history.length") == before)
    }
  }
}
