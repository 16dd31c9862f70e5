import JSON
import Support
import Testing
import Threaded

/// How the page looks, and for whom.
@Suite(.serialized, .waits, .enabled(if: Browser.isWanted, Browser.remedy))
final class PageLookTests: PageStage {
  /// Names and bodies come from strangers.
  @Test func hostileTextsAreTexts() throws {
    let name = #"<img src=x onerror="window.hurt=1"><script>window.hurt=1</script>"#
    let escaped = JSONValue.string(name).text
    let body =
      #"{"device_id":\#(escaped),"location":{"uuid":"\#(Uploader.uuid(1))","extras":\#(escaped),"timestamp":"2026-07-28T18:00:00.000Z","coords":{"latitude":1,"longitude":1,"accuracy":5}}}"#
    try withPage(before: { _ = try $0.post("/locations", body, device: nil) }) { page, _ in
      try page.wait(until: "document.querySelector('.row-name')?.textContent === \(escaped)")
      try chooseFirst(page)
      #expect(try page.text("document.querySelector('.device-head h2').textContent") == name)
      try page.click(".request summary")
      try page.wait(until: "document.querySelector('.request pre').textContent.includes('onerror')")
      #expect(
        try page.evaluate("window.hurt === undefined && document.querySelector('main img, main script') === null")
          == .bool(true))
    }
  }

  @Test(arguments: [false, true])
  func aPhoneShowsEverythingWithoutScrollingSideways(isDark: Bool) throws {
    var look = BrowserPage.Look.phone
    look.isDark = isDark
    try withPage(look, before: { try $0.record(1, of: String(repeating: "long-name-", count: 20)) }) { page, _ in
      for view in ["map", "fleet", "charts", "side"] {
        try page.click(".views [data-view=\(view)]")
        let part = view == "side" ? ".side" : ".\(view)"
        try page.wait(until: "document.querySelector('\(part)').getBoundingClientRect().width > 0")
        #expect(try page.evaluate("document.documentElement.scrollWidth <= innerWidth") == .bool(true), "\(view)")
        #expect(
          try page.evaluate("document.querySelector('\(part)').scrollWidth <= innerWidth") == .bool(true), "\(view)")
      }
      try page.click(".views [data-view=fleet]")
      try chooseFirst(page)
    }
  }

  /// Where a number has no room beside the name of its state, the name gives way.
  @Test(arguments: [false, true]) func noCountOfAStateIsCovered(isPhone: Bool) throws {
    try withPage(isPhone ? .phone : BrowserPage.Look()) { page, _ in
      if isPhone { try page.click(".views [data-view=fleet]") }
      let covered = try page.evaluate(
        """
        (() => {
          const place = node => node.getBoundingClientRect()
          const pairs = [...document.querySelectorAll('.legend-pair')]
          for (const pair of pairs) pair.querySelector('b').textContent = '100,000'
          return pairs.filter(pair => place(pair.querySelector('b')).right > place(pair.querySelector('.solo')).left).length
        })()
        """)
      #expect(covered == .integer(0))
    }
  }

  @Test func darkIsDark() throws {
    func brightness(_ isDark: Bool) throws -> Double {
      var result = 0.0
      var look = BrowserPage.Look()
      look.isDark = isDark
      try withPage(look) { page, _ in
        let color = try page.text("getComputedStyle(document.body).backgroundColor")
        result = color.split { !$0.isNumber }.compactMap { Double($0) }.reduce(0, +) / 765
      }
      return result
    }
    #expect(try brightness(true) < 0.2)
    #expect(try brightness(false) > 0.8)
  }

  /// On a map of every height there are degrees where the scale stands.
  @Test func noDegreesStandInTheScale() throws {
    try withPage(before: { try $0.record(1, of: "van-1") }) { page, _ in
      let tooLow = try page.evaluate(
        """
        (async () => {
          const [{ drawGraticule }, { View }] = await Promise.all([import('/page/ground.js'), import('/page/view.js')])
          let lowest = 0
          const context = { measureText: () => ({ width: 40 }), fillText: (text, left, top) => { if (text.endsWith('N') && left < 60) lowest = Math.max(lowest, top) }, beginPath() {}, moveTo() {}, lineTo() {}, stroke() {} }
          for (let height = 300; height < 420; height += 1) {
            lowest = 0
            const view = new View()
            view.resize(600, height)
            view.fit([[0.3, 0.34], [0.301, 0.341]])
            drawGraticule(context, view, { grid: '', muted: '', smallFont: '' })
            // The words of the scale reach to 30 above the lower edge.
            if (lowest > height - 30) return height
          }
          return 0
        })()
        """)
      #expect(tooLow == .integer(0))
    }
  }

  @Test func theKeyboardIsEnough() throws {
    try withPage(before: { for name in ["a", "b", "c"] { try $0.record(1, of: name) } }) { page, _ in
      try page.wait(until: "document.querySelectorAll('.list-row:not([hidden])').length === 3")
      try page.evaluate("document.getElementById('search').focus()")
      for _ in 0..<2 { try page.press("ArrowDown") }
      try page.wait(until: "document.querySelector('.device-head h2')?.textContent === 'b'")
      try page.evaluate("document.getElementById('tab-device').focus()")
      try page.press("ArrowRight")
      #expect(try page.evaluate("document.activeElement.id") == "tab-faults")
      #expect(try page.evaluate("document.getElementById('panel-faults').hidden") == .bool(false))
      try page.evaluate("document.getElementById('search').focus()")
      try page.type("c")
      try page.wait(until: "document.getElementById('list-count').textContent === '1 of 3 devices'")
    }
  }
}
