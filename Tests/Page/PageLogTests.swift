import JSON
import Support
import Testing
import Threaded

/// The log of all requests, errors by their names, and lines for a shell.
@Suite(.serialized, .waits, .enabled(if: Browser.isWanted, Browser.remedy))
final class PageLogTests: PageStage {
  private static let rows = "[...document.querySelectorAll('#log-rows .request')]"
  private static func shows(_ count: Int) -> String { "\(rows).length === \(count)" }

  /// Two good uploads of two devices in two runs, one that a fault meets, one that goes nowhere.
  private func fill(_ uploader: Uploader) throws {
    _ = try uploader.post("/locations", #"{"location":[\#(Self.record(1)),\#(Self.record(2))]}"#, device: "van-1")
    _ = try uploader.post("/r/test-1/locations", Uploader.body(1), device: "phone-1")
    #expect(try uploader.send("PUT", "/admin/v1/faults", PageFaultTests.rule(at: "van-2")).status == 200)
    #expect(try uploader.record(1, of: "van-2").status == 500)
    #expect(try uploader.post("/nowhere", "{}", device: "van-1").status == 404)
  }

  private static func record(_ number: Int) -> String {
    #"{"uuid":"\#(Uploader.uuid(number))","timestamp":"2026-07-28T18:00:00.000Z","coords":{"latitude":45.5,"longitude":-73.5,"accuracy":5}}"#
  }

  private func write(_ page: BrowserPage, _ field: String, _ text: String) throws {
    try page.evaluate(
      """
      (() => {
        const field = document.querySelector('[name=log-\(field)]')
        field.value = '\(text)'
        field.dispatchEvent(new Event(field.localName === 'select' ? 'change' : 'input'))
      })()
      """)
  }

  @Test func theNewestRequestsOfAllDevicesStandFirst() throws {
    try withPage(path: "/#dock=log", before: fill) { page, uploader in
      try page.wait(until: Self.shows(4))
      let devices = "\(Self.rows).map(row => row.querySelector('.request-device').textContent).join()"
      #expect(try page.text(devices) == "van-1,van-2,test-1 / phone-1,van-1")
      let last = try page.text("\(Self.rows)[3].querySelector('.request-figures').textContent")
      #expect(last.contains("2 records") && last.contains(" B → "), "\(last)")
      try page.click("#log-rows .request summary")
      try page.wait(until: "document.querySelectorAll('#log-rows .request pre').length > 1")
      _ = try uploader.record(9, of: "van-3")
      try page.wait(until: Self.shows(5))
      #expect(try page.evaluate("document.querySelectorAll('#log-rows .request[open]').length") == .integer(1))
    }
  }

  @Test func eachFilterSelects() throws {
    try withPage(path: "/#dock=log", before: fill) { page, _ in
      try page.wait(until: Self.shows(4))
      for (field, text, count) in [
        ("status", "2xx", 2), ("status", "404", 1), ("operation", "uploadLocations", 3), ("fault", "true", 1),
        ("fault", "status", 1), ("path", "/r/", 1), ("device", "van-1", 2), ("text", "INJECTED", 1),
        ("text", "has-none", 0),
      ] {
        try write(page, field, text)
        try page.wait(until: Self.shows(count))
        try write(page, field, "")
        try page.wait(until: Self.shows(4))
      }
      try write(page, "text", "has-none")
      try page.wait(until: "document.getElementById('log-said').textContent === 'No request matches.'")
      try write(page, "text", "")
      try page.evaluate(
        """
        (() => {
          const picker = document.getElementById('run-picker')
          picker.value = 'test-1'
          picker.dispatchEvent(new Event('change'))
        })()
        """)
      try page.wait(until: Self.shows(1))
      #expect(try page.text("\(Self.rows)[0].textContent").contains("test-1 / phone-1"))
    }
  }

  @Test func aPausedLogStandsStill() throws {
    try withPage(path: "/#dock=log", before: fill) { page, uploader in
      try page.wait(until: Self.shows(4))
      try page.click("#log-filters button[aria-pressed]")
      _ = try uploader.record(9, of: "van-3")
      try page.wait(until: "document.getElementById('list-count').textContent === '4 devices'")
      // The errors are read with each turn of the log, also while it is paused.
      _ = try uploader.post("/nowhere", "{}", device: "van-1")
      try page.wait(
        until: "[...document.querySelectorAll('#errors td:nth-of-type(3)')].some(cell => cell.textContent === '2')")
      #expect(try page.evaluate(Self.shows(4)) == .bool(true))
      try page.click("#log-filters button[aria-pressed]")
      try page.wait(until: Self.shows(6))
    }
  }

  @Test func aSearchThatCannotBeSavedSaysWhy() throws {
    try withPage(path: "/#dock=log", before: fill) { page, _ in
      try page.wait(until: Self.shows(4))
      try page.evaluate(
        """
        (() => {
          const real = fetch
          window.fetch = (url, options) => String(url).includes('format=ndjson')
            ? Promise.resolve(new Response('{"error":{"code":"busy","message":"come later"}}', { status: 503 })) : real(url, options)
        })()
        """)
      let save = "[...document.querySelectorAll('#log-filters button')].at(-1)"
      try page.evaluate("\(save).click()")
      try page.wait(until: "document.querySelector('#log-filters .problem')?.textContent === 'come later'")
    }
  }

  @Test func errorsHaveNamesAndLeadToTheirRequests() throws {
    try withPage(path: "/#dock=log", before: fill) { page, _ in
      let rows = "[...document.querySelectorAll('#errors tbody tr')]"
      try page.wait(until: "\(rows).length === 2")
      let text = try page.text("\(rows).map(row => row.textContent).join()")
      #expect(
        text.contains("500fault status: injected fault; nothing was stored") && text.contains("404not_found"), "\(text)"
      )
      try page.click("#errors tbody tr:nth-of-type(2) button")
      try page.wait(until: Self.shows(1))
      try page.wait(until: "location.hash.includes('log-status')")
    }
  }

  /// Pasted into a shell it sends the same once more.
  @Test func aRequestAsCurlWorksInAShell() throws {
    let name = #"it's "$HOME" `x`"#
    let body =
      #"{"device_id":\#(JSONValue.string(name).text),"location":{"uuid":"\#(Uploader.uuid(1))","extras":"a'b","timestamp":"2026-07-28T18:00:00.000Z","coords":{"latitude":1,"longitude":1,"accuracy":5}}}"#
    try withPage(before: { _ = try $0.post("/locations?key=a%20b", body, device: nil, token: nil) }) { page, uploader in
      let line = try page.text(
        """
        (async () => {
          const { curlOf } = await import('/page/curl.js')
          const { requests } = await (await fetch('/admin/v1/requests')).json()
          return curlOf(requests[0])
        })()
        """)
      let shell = try ChildProcess(["/bin/sh", "-c", line + " > /dev/null 2>&1"])
      #expect(shell.exitCode() == 0, "\(line)")
      let list = try JSONValue(parsing: uploader.send("GET", "/admin/v1/requests").body.utf8.span)["requests"]
      #expect(list?.elements.count == 2 && list?.elements[1]["body"] == .string(body))
      #expect(list?.elements[1]["path"] == list?.elements[0]["path"])
    }
  }

  /// A client chooses its method, its target, the names of its headers and its body.
  @Test func aRequestAsCurlRunsNoCommandAndReadsNoFile() throws {
    try withPage(path: "/") { page, _ in
      let line = try page.text(
        """
        (async () => {
          const { curlOf } = await import('/page/curl.js')
          return curlOf({ method: '`a`', path: '//other.test/b?c[1]', head: '`d`: (secret)', body: '@/e' })
            .replace(location.origin, '')
        })()
        """)
      #expect(
        line == "curl -sS -i -g -X '`a`' '//other.test/b?c[1]' -H '`d`: '\"$TOKEN\" --data-raw '@/e'", "\(line)")
      let target = try page.text(
        """
        (async () => {
          const { curlOf } = await import('/page/curl.js')
          return curlOf({ method: 'GET', path: 'http://other.test/b', head: '', body: '' })
        })()
        """)
      #expect(!target.contains("other.test"), "\(target)")
    }
  }
}
