import JSON
import Testing
import Threaded

/// Runs: which is shown, what each has, and a reset.
@Suite(.serialized, .waits, .enabled(if: Browser.isWanted, Browser.remedy))
final class PageRunTests: PageStage {
  private let fill = { (uploader: Uploader) throws in
    try uploader.record(1, of: "outside")
    for run in ["test-1", "test-2"] {
      _ = try uploader.post("/r/\(run)/locations", Uploader.body(1), device: "inside")
    }
    #expect(try uploader.send("PUT", "/r/test-1/admin/v1/faults", PageFaultTests.rule(at: "inside")).status == 200)
    #expect(try uploader.post("/r/test-1/locations", Uploader.body(2), device: "inside").status == 500)
  }
  private static func shows(_ count: String) -> String {
    "document.getElementById('list-count').textContent === '\(count)'"
  }

  @Test func eachRunHasItsCounts() throws {
    try withPage(path: "/#tab=runs", before: fill) { page, _ in
      try page.wait(until: "document.querySelectorAll('.run-card').length === 3")
      let counts =
        "[...document.querySelectorAll('.run-card[data-run=test-1] dd')].map(node => node.textContent).join()"
      // Devices, records, requests, failed, hit by a fault, quarantined, rules.
      #expect(try page.text(counts) == "1,1,2,1,1,0,1")
    }
  }

  /// Devices of one name in several runs.
  @Test func theMapTellsRunsApart() throws {
    try withPage { page, uploader in
      try page.evaluate(
        """
        (() => {
          window.written = new Set()
          const write = CanvasRenderingContext2D.prototype.fillText
          CanvasRenderingContext2D.prototype.fillText = function (text, ...place) {
            if (this.canvas.id === 'map') written.add(text)
            write.call(this, text, ...place)
          }
        })()
        """)
      for (run, longitude) in [("test-1", -73.5), ("test-2", -73.4)] {
        _ = try uploader.post("/r/\(run)/locations", Uploader.body(1, longitude: longitude), device: "phone-1")
      }
      try page.wait(until: "written.has('test-1 / phone-1') && written.has('test-2 / phone-1')")
      #expect(try page.evaluate("written.has('phone-1')") == .bool(false))
    }
  }

  @Test func theChosenRunIsShownAlone() throws {
    try withPage(before: fill) { page, _ in
      try page.wait(until: Self.shows("3 devices"))
      try page.click("#tab-runs")
      try page.click(".run-card[data-run=test-2] button")
      try page.wait(until: Self.shows("1 of 3 devices"))
      #expect(try page.text("document.getElementById('run-picker').value") == "test-2")
      try page.click("#tab-faults")
      try page.wait(until: "document.querySelector('#panel-faults .empty') !== null")
      try page.click("#tab-runs")
      try page.click(".run-card[data-run=test-1] button")
      try page.wait(until: "document.querySelectorAll('#panel-faults .card').length === 1")
      try page.click(".run-card[data-run=test-1] button")
      try page.wait(until: Self.shows("3 devices"))
    }
  }

  @Test func aResetAsksFirstAndTakesItsRunAlone() throws {
    try withPage(path: "/#tab=runs", before: fill) { page, uploader in
      try page.click(".run-card[data-run=test-1] button.danger")
      try page.wait(until: "document.querySelector('button.asking')?.textContent === 'Forget test-1?'")
      #expect(try uploader.send("GET", "/admin/v1/devices?run=test-1").body.contains("inside"))
      try page.click(".run-card[data-run=test-1] button.danger")
      try page.wait(until: "document.querySelectorAll('.run-card').length === 2")
      try page.wait(until: Self.shows("2 devices"))
      #expect(
        try page.text("document.querySelector('#panel-runs .said').textContent")
          == "Run test-1 deleted: 1 device, 1 fault rule.")
      try page.click(".run-card[data-run=''] button.danger")
      try page.click(".run-card[data-run=''] button.danger")
      try page.wait(until: Self.shows("1 device"))
      #expect(try uploader.send("GET", "/admin/v1/devices?run=test-2").body.contains("inside"))
    }
  }
}
