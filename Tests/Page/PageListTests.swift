import JSON
import Support
import Testing
import Threaded

/// The list: its order, its groups, and what a search finds.
@Suite(.serialized, .waits, .enabled(if: Browser.isWanted, Browser.remedy))
final class PageListTests: PageStage {
  private static func shows(_ count: String) -> String {
    "document.getElementById('list-count').textContent === '\(count)'"
  }
  private static let names =
    "[...document.querySelectorAll('.list-row:not([hidden]) .row-name')].map(node => node.textContent).join()"
  private static let marksAreThere =
    "document.getElementById('marks').getContext('2d').getImageData(0, 0, marks.width, marks.height).data.some(byte => byte > 0)"

  private func choose(_ page: BrowserPage, _ field: String, _ value: String) throws {
    try page.evaluate(
      "(() => { const field = document.getElementById('\(field)'); field.value = '\(value)'; field.dispatchEvent(new Event('change')) })()"
    )
  }

  private let fill = { (uploader: Uploader) throws in
    for name in ["bus-1", "bus-2", "van-1"] { try uploader.record(1, of: name) }
    _ = try uploader.post("/r/test-1/locations", Uploader.body(1), device: "phone")
    #expect(try uploader.send("PUT", "/admin/v1/devices/van-1/tags", #"{"tags":["north"]}"#).status == 200)
    #expect(try uploader.send("PUT", "/admin/v1/faults", PageFaultTests.rule(at: "van-1")).status == 200)
    for _ in 0..<3 { #expect(try uploader.record(2, of: "van-1").status == 500) }
  }

  @Test func theWorstStandFirst() throws {
    try withPage(before: fill) { page, _ in
      try page.wait(until: "\(Self.names) === 'bus-1,bus-2,test-1 / phone,van-1'")
      for order in ["worst", "failures"] {
        try choose(page, "list-order", order)
        try page.wait(until: "\(Self.names).startsWith('van-1')")
        try choose(page, "list-order", "name")
      }
      #expect(
        try page.text("[...document.querySelectorAll('.row-detail')].at(3).textContent").hasPrefix(
          "failing · 3× 500 · "))
    }
  }

  @Test func groupsHaveTheirTroublesAndFoldUp() throws {
    try withPage(before: fill) { page, _ in
      try choose(page, "list-groups", "prefix")
      try choose(page, "list-order", "worst")
      try page.wait(until: "\(Self.names) === '▾ van,van-1,▾ bus,bus-1,bus-2,▾ phone,test-1 / phone'")
      #expect(
        try page.text("document.querySelector('.list-group .row-detail').textContent")
          == "1 device · 1 in trouble · 3 failures")
      try page.click(".list-group")
      try page.wait(until: "\(Self.names) === '▸ van,▾ bus,bus-1,bus-2,▾ phone,test-1 / phone'")
      try choose(page, "list-groups", "tag")
      try page.wait(until: "\(Self.names).startsWith('▾ north,van-1,▾ no tag')")
    }
  }

  @Test func aSearchFindsRunsAndTagsAndFiltersTheMap() throws {
    try withPage(before: fill) { page, _ in
      try page.wait(until: Self.shows("4 devices"))
      try page.wait(until: Self.marksAreThere)
      for (text, name) in [("TEST-1", "test-1 / phone"), ("north", "van-1"), ("bus 2", "bus-2")] {
        try page.evaluate(
          "(() => { const field = document.getElementById('search'); field.value = ''; field.dispatchEvent(new Event('input')); field.focus() })()"
        )
        try page.type(text)
        try page.wait(until: "\(Self.names) === '\(name)'")
      }
      try page.type("-none")
      try page.wait(until: "!document.getElementById('list-empty').hidden")
      try page.wait(until: "!(\(Self.marksAreThere))")
      try page.click("#list-clear")
      try page.wait(until: "\(Self.shows("4 devices")) && \(Self.marksAreThere)")
    }
  }

  @Test func oneStateIsShownAloneWithOneClick() throws {
    try withPage(before: fill) { page, _ in
      try page.wait(until: "document.querySelector('.legend-item[data-state=failing] b').textContent === '1'")
      try page.click(".solo[data-state=failing]")
      try page.wait(until: "\(Self.names) === 'van-1'")
      #expect(
        try page.text("document.querySelector('.solo[data-state=failing]').getAttribute('aria-pressed')") == "true")
      try page.click(".solo[data-state=failing]")
      try page.wait(until: Self.shows("4 devices"))
    }
  }

  @Test func failuresGlow() throws {
    try withPage(before: fill) { page, _ in
      try page.wait(until: Self.marksAreThere)
      let reddest =
        "(() => { const map = document.getElementById('map'); const { data } = map.getContext('2d').getImageData(map.width / 2 - 30, map.height / 2 - 30, 60, 60); let most = 0; for (let index = 0; index < data.length; index += 4) most = Math.max(most, data[index] - data[index + 2]); return most })()"
      let before = try page.evaluate(reddest)
      try page.click("#map-heat")
      try page.wait(until: "\(reddest) > \(before.text) + 40")
    }
  }
}
