import JSON
import Support
import Testing
import Threaded

/// What the page shows of devices.
@Suite(.serialized, .waits, .enabled(if: Browser.isWanted, Browser.remedy))
final class PageTests: PageStage {
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

  @Test func theLegendFilters() throws {
    try withPage(before: { try $0.record(1, of: "van-1") }) { page, _ in
      try page.wait(until: "document.querySelectorAll('.list-row:not([hidden])').length === 1")
      let state = try page.text("document.querySelector('.list-row .mark').dataset.state")
      try page.click(".legend-item[data-state=\(state)]")
      try page.wait(until: "document.querySelectorAll('.list-row:not([hidden])').length === 0")
      try page.wait(until: "!\(Self.middleOfMapIsMarked)")
    }
  }
}
