import IngestServer
import JSON
import Support
import Testing
import Threaded

/// The panel of faults: whom a rule hits, what is refused, and that a refusal can be read.
@Suite(.serialized, .waits, .enabled(if: Browser.isWanted, Browser.remedy))
final class PageFaultTests: PageStage {
  private static let said = "document.querySelector('#panel-faults form .problem').textContent"

  private func fill(_ page: BrowserPage, _ field: String, _ text: String) throws {
    try page.evaluate(
      "(() => { const field = document.querySelector('[name=\(field)]'); field.value = ''; field.focus() })()")
    try page.type(text)
  }

  @Test func aFaultAtADeviceOfARunHitsThatDevice() throws {
    let before = { (uploader: Uploader) throws in
      try uploader.record(1, of: "phone-1")
      _ = try uploader.post("/r/test-1/locations", Uploader.body(1), device: "phone-1")
    }
    try withPage(before: before) { page, uploader in
      try page.wait(until: "document.querySelectorAll('.list-row:not([hidden])').length === 2")
      try page.click(".list-row:nth-of-type(2)")
      try page.wait(until: "document.querySelector('[data-fact=run]').textContent.includes('test-1')")
      try page.click("#tab-faults")
      try page.click("#panel-faults button[type=submit]")
      try page.wait(until: "document.querySelector('.card')?.textContent.includes('device phone-1 · run test-1')")
      #expect(try uploader.post("/r/test-1/locations", Uploader.body(2), device: "phone-1").status == 500)
      #expect(try uploader.record(2, of: "phone-1").status == 200)
      try page.click(".card button")
      try page.wait(until: "document.querySelector('.card') === null")
      #expect(try uploader.post("/r/test-1/locations", Uploader.body(2), device: "phone-1").status == 200)
    }
  }

  @Test func theFaultsOfAllRunsAreListedAndEachIsRemovedAlone() throws {
    let before = { (uploader: Uploader) throws in
      for run in ["", "test-1", "test-2"] {
        #expect(try uploader.send("PUT", "/admin/v1/faults?run=\(run)", Self.rule(at: "van")).status == 200)
      }
    }
    try withPage(before: before) { page, uploader in
      try page.wait(until: "document.getElementById('badge-faults').textContent === '3'")
      try page.click("#tab-faults")
      let whom = "[...document.querySelectorAll('.card p:nth-of-type(1)')].map(node => node.textContent).join()"
      try page.wait(
        until: "\(whom) === 'device van · no run,device van · run test-1,device van · run test-2'")
      try page.click(".card[data-run=test-1] button")
      try page.wait(until: "document.querySelectorAll('.card').length === 2")
      // The focus goes on once the answer is there; the card may be gone before, when the live stream tells it first.
      try page.wait(until: "document.activeElement.closest('.card')?.dataset.run === 'test-2'")
      #expect(try uploader.send("GET", "/r/test-1/admin/v1/faults").body == #"{"faults":[]}"#)
      #expect(try uploader.send("GET", "/r/test-2/admin/v1/faults").body.contains("van"))
    }
  }

  /// A handshake names neither device nor run: the form asks for what it shows.
  @Test func aFaultOfHandshakesIsPlacedByItsHost() throws {
    let folder = try TemporaryFolder()
    let configure = { (configuration: inout ServerConfiguration) in
      configuration.data = folder.file("data")
      configuration.tls = TLSSettings(.development(names: []))
      configuration.tls?.listen = "127.0.0.1:0"
    }
    try withPage(configure: configure) { page, uploader in
      try page.click("#tab-faults")
      let hidden =
        "['device', 'operation', 'host'].map(name => document.querySelector(`[name=${name}]`).closest('label').hidden).join()"
      try page.wait(until: "\(hidden) === 'false,false,true'")
      try page.evaluate(
        "(() => { const kind = document.querySelector('[name=kind]'); kind.value = 'certificate'; kind.dispatchEvent(new Event('change')) })()"
      )
      try page.wait(until: "\(hidden) === 'true,true,false'")
      try page.evaluate("document.querySelector('[name=setting-problem]').value = 'wrongHost'")
      try fill(page, "host", "*.phones.test")
      try page.click("#panel-faults button[type=submit]")
      try page.wait(until: "document.querySelector('.card')?.textContent.includes('handshakes for *.phones.test')")
      let rules = try uploader.send("GET", "/admin/v1/faults").body
      #expect(rules.contains(#""problem":"wrongHost""#) && rules.contains(#""host":"*.phones.test""#), "\(rules)")
    }
  }

  @Test func aFaultForAllRunsHitsThemAll() throws {
    let before = { (uploader: Uploader) throws in
      _ = try uploader.post("/r/test-1/locations", Uploader.body(1), device: "phone-1")
    }
    try withPage(before: before) { page, uploader in
      try page.wait(until: "document.querySelectorAll('.list-row:not([hidden])').length === 1")
      try page.click("#tab-faults")
      try page.wait(until: "document.querySelector('[name=run] [value=\"*\"]') !== null")
      try page.evaluate("document.querySelector('[name=run]').value = '*'")
      try page.click("#panel-faults button[type=submit]")
      try page.wait(until: "document.querySelector('.card')?.textContent.includes('every device · all runs')")
      #expect(try uploader.post("/r/test-2/locations", Uploader.body(1), device: "b").status == 500)
      #expect(try uploader.record(1, of: "c").status == 500)
    }
  }

  @Test func aFaultOfThePageOfARunIsSetInThatRun() throws {
    try withPage(path: "/r/job-1/") { page, uploader in
      try page.click("#tab-faults")
      #expect(try page.evaluate("document.querySelector('[name=run]').getBoundingClientRect().width") == .integer(0))
      try page.click("#panel-faults button[type=submit]")
      try page.wait(until: "document.querySelector('.card')?.textContent.includes('every device · run job-1')")
      #expect(try uploader.post("/r/job-1/locations", Uploader.body(1), device: "a").status == 500)
      #expect(try uploader.record(1, of: "a").status == 200)
      try page.click(".card button")
      try page.wait(until: "document.querySelector('.card') === null")
    }
  }

  /// The list is asked for again every two seconds.
  @Test func aRefusalAndTheFocusStayWhenTheListIsRefreshed() throws {
    try withPage(
      problemsExpected: 1, before: { _ = try $0.send("PUT", "/admin/v1/faults", Self.rule(at: "other")) }
    ) { page, uploader in
      try page.click("#tab-faults")
      try page.evaluate(
        """
        (() => {
          const kind = document.querySelector('[name=kind]')
          kind.value = 'delay'
          kind.dispatchEvent(new Event('change'))
        })()
        """)
      try fill(page, "setting-time", "soon")
      try page.click("#panel-faults button[type=submit]")
      try page.wait(until: "\(Self.said).startsWith('time must be a duration')")
      try page.evaluate("document.querySelector('.card button').focus()")
      #expect(try uploader.record(1, of: "other").status == 500)
      try page.wait(until: "document.querySelector('.card .hits').textContent === '1 of 1 requests matched'")
      #expect(try page.text(Self.said).hasPrefix("time must be a duration"))
      #expect(try page.evaluate("document.activeElement.closest('.card') !== null") == .bool(true))
      try fill(page, "setting-time", "1ms")
      try page.click("#panel-faults button[type=submit]")
      try page.wait(until: "document.querySelectorAll('.card').length === 2 && \(Self.said) === ''")
    }
  }

  @Test func aSettingThatIsNoNumberIsRefused() throws {
    try withPage { page, uploader in
      try page.click("#tab-faults")
      for wrong in ["abc", "1e", "99", "600", "404.5"] {
        try page.evaluate("document.querySelector('#panel-faults form .problem').textContent = ''")
        try fill(page, "setting-status", wrong)
        try page.click("#panel-faults button[type=submit]")
        try page.wait(until: "\(Self.said).startsWith('status: ')")
        #expect(try page.evaluate("document.activeElement.name") == "setting-status", "\(wrong)")
      }
      #expect(try uploader.send("GET", "/admin/v1/faults").body == #"{"faults":[]}"#)
      for (field, text) in [("setting-status", "404"), ("share", "0.5"), ("count", "3")] { try fill(page, field, text) }
      try page.click("#panel-faults button[type=submit]")
      try page.wait(
        until: "document.querySelector('.card')?.textContent.includes('every device · 0.5 % of the requests · 3 times')"
      )
      #expect(try page.text("document.querySelector('.card').textContent").contains("status 404"))
      let left =
        "['setting-status', 'share', 'count'].map(name => document.querySelector(`[name=${name}]`).value).join()"
      #expect(try page.text(left) == "500,100,", "the next rule begins anew")
    }
  }

  static func rule(at device: String) -> String {
    #"{"faults":[{"id":"a","fault":{"kind":"status"},"match":{"device":"\#(device)"}}]}"#
  }
}
