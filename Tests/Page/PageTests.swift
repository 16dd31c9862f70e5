import IngestServer
import JSON
import Support
import Testing

/// The live page in a real browser against a real server.
@Suite(.serialized, .enabled(if: Browser.isWanted, "there is no chromium on the PATH; these tests are for one"))
final class PageTests {
  private let browser: Browser

  init() throws { browser = try Browser() }

  /// A server, the page of it in front of its user, and at the end nothing that the browser complained about.
  private func withPage(
    _ look: BrowserPage.Look = BrowserPage.Look(), path: String = "/", problemsExpected: Int = 0, isOpen: Bool = true,
    configure: (inout ServerConfiguration) -> Void = { _ in }, before: (Uploader) throws -> Void = { _ in },
    _ body: (BrowserPage, Uploader) throws -> Void
  ) throws {
    var configuration = ServerConfiguration()
    configuration.listen = "127.0.0.1:0"
    configuration.data = ":memory:"
    configuration.loops = 1
    configure(&configuration)
    let server = try IngestServer(configuration)
    defer { server.stop(within: 1) }
    let uploader = Uploader(port: server.port)
    try before(uploader)
    let page = try BrowserPage(browser, server.url + path, look)
    if isOpen { try page.wait(until: "document.getElementById('link').dataset.state === 'live'") }
    try body(page, uploader)
    let problems = try page.problems()
    #expect(problems.count == problemsExpected, "\(problems)")
    try page.end()
  }

  private func chooseFirst(_ page: BrowserPage) throws {
    try page.click(".list-row:not([hidden])")
    try page.wait(until: "document.querySelector('.device-head h2') !== null")
  }

  @Test func devicesStandOnTheMapAndInTheList() throws {
    try withPage(before: { try $0.record(1, of: "van-1") }) { page, _ in
      try page.wait(until: "document.querySelector('.row-name')?.textContent === 'van-1'")
      #expect(try page.text("document.getElementById('link').textContent") == "live")
      // One device is in the middle: a click there, on its mark, chooses it.
      try page.wait(until: Self.middleOfMapIsMarked)
      let middle = try page.evaluate(
        "(() => { const box = document.getElementById('map').getBoundingClientRect(); return [box.left + box.width / 2, box.top + box.height / 2] })()"
      )
      try page.click(middle.elements[0], middle.elements[1])
      try page.wait(until: "document.querySelector('.device-head h2')?.textContent === 'van-1'")
    }
  }

  private static let middleOfMapIsMarked = """
    (() => { const marks = document.getElementById('marks'); return marks.getContext('2d').getImageData(marks.width / 2, marks.height / 2, 1, 1).data[3] > 0 })()
    """

  /// Drawn without a reload when it comes, and gone when it goes. The square is around the only device.
  @Test func whatIsPutUnderTheDevicesIsDrawn() throws {
    let square = "[[-73.51,45.49],[-73.49,45.49],[-73.49,45.51],[-73.51,45.51],[-73.51,45.49]]"
    let map =
      #"{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"kind":"tunnel"},"geometry":{"type":"Polygon","coordinates":[\#(square)]}}]}"#
    try withPage(before: { try $0.record(1, of: "van-1") }) { page, uploader in
      try page.wait(until: Self.middleOfMapIsMarked)
      let ground = try page.text(Self.groundBesideTheMiddle)
      #expect(try uploader.send("PUT", "/admin/v1/map", map).status == 200)
      try page.wait(until: "\(Self.groundBesideTheMiddle) !== '\(ground)'")
      #expect(try uploader.send("DELETE", "/admin/v1/map").status == 200)
      try page.wait(until: "\(Self.groundBesideTheMiddle) === '\(ground)'")
    }
  }

  /// The colour between the lines of the graticule.
  private static let groundBesideTheMiddle = """
    (() => { const map = document.getElementById('map'); return map.getContext('2d').getImageData(map.width / 2 - 40, map.height / 2 - 31, 1, 1).data.join() })()
    """

  @Test func aDeviceComesWithoutAReload() throws {
    try withPage { page, uploader in
      try page.wait(until: "!document.getElementById('map-hint').hidden")
      try uploader.record(1, of: "late-comer")
      try page.wait(until: "document.querySelector('.row-name')?.textContent === 'late-comer'")
      try page.wait(until: "document.getElementById('map-hint').hidden")
      try page.wait(until: Self.middleOfMapIsMarked)
    }
  }

  @Test func aRequestShowsItsBodyAndItsAnswer() throws {
    try withPage(before: { try $0.record(7, of: "van-1") }) { page, _ in
      try chooseFirst(page)
      try page.click(".request summary")
      try page.wait(until: "document.querySelectorAll('.request pre').length === 3")
      let text = try page.text("document.querySelector('.request').textContent")
      #expect(text.contains(Uploader.uuid(7)) && text.contains(#""accepted": 1"#) && text.contains("POST /locations"))
    }
  }

  @Test func aCommandOfThePageGoesWithTheNextAnswer() throws {
    try withPage(before: { try $0.record(1, of: "van-1") }) { page, uploader in
      try chooseFirst(page)
      try page.click(".order-form button[type=submit]")
      try page.wait(until: "document.querySelector('.ledger .tag')?.textContent === 'queued'")
      let answer = try uploader.record(2, of: "van-1")
      #expect(answer.body.contains(#""background_geolocation":[["changePace",true]]"#), "\(answer.body)")
      try page.wait(until: "['sent', 'delivered'].includes(document.querySelector('.ledger .tag').textContent)")
    }
  }

  @Test func aWrongCommandIsRefusedInTheServersWords() throws {
    try withPage(problemsExpected: 1, before: { try $0.record(1, of: "van-1") }) { page, _ in
      try chooseFirst(page)
      try page.evaluate("document.querySelector('[name=argument]').value = '17'")
      try page.click(".order-form button[type=submit]")
      try page.wait(until: "document.querySelector('.order-form .problem')?.textContent.includes('boolean')")
    }
  }

  @Test func aFaultOfThePageActsUntilItIsRemoved() throws {
    try withPage(before: { try $0.record(1, of: "van-1") }) { page, uploader in
      try page.click("#tab-faults")
      try page.click("#panel-faults button[type=submit]")
      try page.wait(until: "document.querySelector('.card')?.dataset.rule === 'status-1'")
      #expect(try uploader.record(2, of: "van-1").status == 500)
      try page.wait(until: "document.querySelector('.card .hits').textContent === '1 of 1 requests met it'")
      try page.wait(until: "document.querySelector('.list-row .mark').dataset.state === 'failing'")
      try page.click(".card button")
      try page.wait(until: "document.querySelector('.card') === null")
      #expect(try uploader.record(2, of: "van-1").status == 200)
    }
  }

  @Test func expiredTokensRefuseTheDevice() throws {
    try withPage(configure: { $0.authentication = .required }) { page, uploader in
      let token = try uploader.register("van-1")
      #expect(try uploader.record(1, of: nil, token: token).status == 200)
      try page.click("#tab-tokens")
      try page.click("#panel-tokens form button")
      try page.wait(until: "document.querySelector('#panel-tokens .said').textContent === '1 login was expired.'")
      let answer = try uploader.record(2, of: nil, token: token)
      #expect(answer.status == 401 && answer.body.contains("expired"), "\(answer.body)")
      try page.wait(until: "document.querySelector('#panel-tokens .ledger').textContent.includes('registration')")
    }
  }

  @Test func theQuarantineIsListedAndEmptied() throws {
    let before = { (uploader: Uploader) throws in
      let body =
        #"{"location":{"uuid":"\#(Uploader.uuid(1))","timestamp":"2026-07-28T18:00:00.000Z","coords":{"latitude":"north","longitude":1,"accuracy":5}}}"#
      #expect(try uploader.post("/locations", body, device: "van-1").status == 200)
    }
    try withPage(before: before) { page, _ in
      try page.wait(until: "document.getElementById('badge-quarantine').textContent === '1'")
      try page.click("#tab-quarantine")
      try page.click("#panel-quarantine .card summary")
      try page.wait(until: "document.querySelector('#panel-quarantine pre').textContent.includes('north')")
      try page.click("#panel-quarantine .card button")
      try page.wait(until: "document.querySelector('#panel-quarantine .empty') !== null")
      try page.wait(until: "document.getElementById('badge-quarantine').hidden")
    }
  }

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

  @Test func thePageAsksForTheTokenAndKeepsItInTheTabAlone() throws {
    try withPage(problemsExpected: 2, isOpen: false, configure: { $0.adminToken = "open-sesame" }) { page, _ in
      try page.wait(until: "document.getElementById('ask-token').open")
      try page.type("wrong")
      try page.press("Enter")
      try page.wait(until: "document.getElementById('ask-token-problem').textContent === 'That was not the token.'")
      try page.type("open-sesame")
      try page.press("Enter")
      try page.wait(until: "document.getElementById('link').dataset.state === 'live'")
      #expect(try page.evaluate("Object.values(sessionStorage).join()") == "open-sesame")
      #expect(try page.evaluate("localStorage.length + document.cookie.length") == .integer(0))
    }
  }

  @Test func thePageOfARunShowsThatRun() throws {
    let before = { (uploader: Uploader) throws in
      try uploader.record(1, of: "outside")
      _ = try uploader.post("/r/job-1/locations", Uploader.body(1), device: "inside")
    }
    try withPage(path: "/r/job-1/", before: before) { page, _ in
      try page.wait(until: "document.querySelector('.row-name')?.textContent === 'job-1 / inside'")
      #expect(try page.text("document.getElementById('run').textContent") == "run job-1")
      #expect(try page.text("document.getElementById('list-count').textContent") == "1 device")
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

  @Test func theLegendFilters() throws {
    try withPage(before: { try $0.record(1, of: "van-1") }) { page, _ in
      try page.wait(until: "document.querySelectorAll('.list-row:not([hidden])').length === 1")
      let state = try page.text("document.querySelector('.list-row .mark').dataset.state")
      try page.click(".legend-item[data-state=\(state)]")
      try page.wait(until: "document.querySelectorAll('.list-row:not([hidden])').length === 0")
      try page.wait(until: "!\(Self.middleOfMapIsMarked)")
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
}
