import JSON
import Support
import Testing
import Threaded

/// One device: its facts, its way, its records as files, its tags, and its end.
@Suite(.serialized, .waits, .enabled(if: Browser.isWanted, Browser.remedy))
final class PageWayTests: PageStage {
  /// A record of the last minutes, as the SDK sends it.
  private static func record(_ number: Int, minutesAgo: Int, latitude: Double) -> String {
    #"{"uuid":"\#(Uploader.uuid(number))","timestamp":"2026-07-28T18:\#(60 - minutesAgo):00.000Z","is_moving":true,"odometer":12345.6,"activity":{"type":"in_vehicle","confidence":92},"battery":{"level":0.83,"is_charging":true},"coords":{"latitude":\#(latitude),"longitude":-73.5,"accuracy":5.25,"speed":12}}"#
  }
  /// Five minutes at a place, a kilometre's drive, and a last place.
  private let drive = { (uploader: Uploader) throws in
    let records = [(1, 14, 45.5), (2, 9, 45.5), (3, 8, 45.505), (4, 7, 45.51)].map {
      PageWayTests.record($0.0, minutesAgo: $0.1, latitude: $0.2)
    }
    #expect(
      try uploader.post("/locations", #"{"location":[\#(records.joined(separator: ","))]}"#, device: "van-1").status
        == 200)
  }

  private func openWay(_ page: BrowserPage) throws {
    try chooseFirst(page)
    try page.evaluate(
      "[...document.querySelectorAll('.section')].find(node => node.querySelector('summary').textContent === 'Track').open = true"
    )
  }

  @Test func theRecordTellsBatteryActivityAccuracyAndOdometer() throws {
    try withPage(before: drive) { page, _ in
      try chooseFirst(page)
      for (fact, text) in [
        ("battery", "83 %, charging"), ("activity", "in_vehicle, 92 % sure"), ("accuracy", "5.3 m"),
        ("odometer", "12.3 km"),
      ] {
        try page.wait(until: "document.querySelector('[data-fact=\(fact)] dd')?.textContent === '\(text)'")
      }
    }
  }

  @Test func stopsAndTripsAreFoundAndATripIsReplayed() throws {
    try withPage(before: drive) { page, _ in
      try openWay(page)
      let parts = "[...document.querySelectorAll('.trips button')].map(node => node.textContent).join()"
      try page.wait(until: "\(parts) === 'stop of 5 min,trip of 1.1 km in 2 min'")
      try page.click(".trips li[data-part=trip] button")
      try page.wait(until: "Number(document.querySelector('.replay input').value) > 0")
      // The slider goes to an instant by hand, and the replay says which.
      try page.evaluate(
        "(() => { const slider = document.querySelector('.replay input'); slider.value = 500; slider.dispatchEvent(new Event('input')) })()"
      )
      let said = try page.text("document.querySelector('.replay p').textContent")
      #expect(said.contains("43 km/h"), "\(said)")
      #expect(try page.text("document.querySelector('.replay input').getAttribute('aria-valuetext')") == said)
    }
  }

  @Test func aClickOnAPointOfTheWayShowsItsRecord() throws {
    try withPage(before: drive) { page, _ in
      try openWay(page)
      try page.wait(until: "document.querySelector('.trips li[data-part=stop]') !== null")
      // The stop is a place of its own, which the map goes to: its first point is in the middle.
      try page.click(".trips li[data-part=stop] button")
      try page.wait(until: "document.querySelector('.record pre')?.textContent.includes('\(Uploader.uuid(1))')")
      let middle = try page.evaluate(
        "(() => { document.querySelector('.record').replaceChildren(); const box = document.getElementById('map').getBoundingClientRect(); return [Math.round(box.left + box.width / 2), Math.round(box.top + box.height / 2)] })()"
      )
      try page.click(middle.elements[0], middle.elements[1])
      try page.wait(until: "document.querySelector('.record pre')?.textContent.includes('\"latitude\": 45.5')")
    }
  }

  @Test func theRecordThatWasChosenLastIsShown() throws {
    try withPage(before: drive) { page, _ in
      try openWay(page)
      let row = { (number: Int) in "tr[data-uuid='\(Uploader.uuid(number))'] button" }
      try page.wait(until: "document.querySelector(\"\(row(4))\") !== null")
      // The answer with the first record comes after that with the second.
      try page.evaluate(
        """
        (() => {
          const real = fetch
          let isHeld = false
          window.fetch = (url, options) => {
            if (isHeld || !/locations\\?/.test(url) || /format=/.test(url)) return real(url, options)
            isHeld = true
            return new Promise(resolve => {
              window.release = async () => {
                const answer = new Response(await (await real(url, options)).text())
                resolve(answer)
                for (let turn = 0; turn < 20; turn += 1) await new Promise(next => setTimeout(next))
              }
            })
          }
        })()
        """)
      try page.click(row(1))
      try page.wait(until: "window.release !== undefined")
      try page.click(row(4))
      let shown = { (number: Int) in
        "document.querySelector('.record pre')?.textContent.includes('\(Uploader.uuid(number))')"
      }
      try page.wait(until: shown(4))
      try page.evaluate("release()")
      #expect(try page.evaluate(shown(4)) == .bool(true))
    }
  }

  @Test func partsAreThoseOfTheirDefinition() throws {
    try withPage { page, _ in
      let told = try page.text(
        """
        (async () => {
          const { stopsAndTrips, metresBetween } = await import('/page/trips.js')
          const minute = 60_000
          const at = (minutes, metres) => ({ at: minutes * minute, latitude: 0, longitude: metres / 111_195.08 })
          const parts = (...places) => stopsAndTrips(places).map(({ kind, first, last, metres }) => `${kind} ${first}-${last} ${Math.round(metres)}`).join()
          return [
            Math.round(metresBetween(at(0, 0), at(0, 1000))),
            parts(), parts(at(0, 0)), parts(at(0, 0), at(2.9, 50)), parts(at(0, 0), at(3, 50)),
            parts(at(0, 0), at(3, 101)), parts(at(0, 0), at(1, 500), at(2, 1000), at(7, 1000), at(8, 2000)),
          ].join('; ')
        })()
        """)
      #expect(told == "1000; ; ; ; stop 0-1 0; trip 0-1 101; trip 0-2 1000,stop 2-3 0,trip 3-4 1000")
    }
  }

  /// Places are compared with a few others each, however many lie within the time and the distance of a stop.
  @Test func manyPlacesTogetherAreReadAFewTimesEach() throws {
    try withPage { page, _ in
      let told = try page.text(
        """
        (async () => {
          const { stopsAndTrips } = await import('/page/trips.js')
          let reads = 0
          const places = Array.from({ length: 2_000 }, (_, index) => ({
            at: index < 1_000 ? index : 180_000 + index,
            latitude: 0, get longitude() { reads += 1; return index === 500 ? 1 : index % 9 / 1e6 },
          }))
          const parts = stopsAndTrips(places).map(({ kind, first, last }) => `${kind} ${first}-${last}`).join()
          return `${parts} ${reads < 20 * places.length}`
        })()
        """)
      #expect(told == "trip 0-501,stop 501-1999 true")
    }
  }

  @Test func aReplayCrossesTheAntimeridianTheShortWay() throws {
    try withPage { page, _ in
      let told = try page.text(
        """
        (async () => {
          const { placeAt } = await import('/page/replay.js')
          const between = (from, to) => [1, 2, 3].map(at => placeAt([{ at: 0, latitude: 0, longitude: from }, { at: 4, latitude: 4, longitude: to }], at).longitude).join(' ')
          return [between(179, -177), between(-177, 179), between(-90, 70)].join(', ')
        })()
        """)
      #expect(told == "180 -179 -178, -178 -179 -180, -50 -10 30", "\(told)")
    }
  }

  @Test(arguments: [
    ("GPX", "<trkpt"), ("GeoJSON", "FeatureCollection"), ("CSV", "uuid,recordedAt"), ("NDJSON", #""odometer":12345.6"#),
  ])
  func theWayIsSavedAsAFile(name: String, part: String) throws {
    try withPage(before: drive) { page, _ in
      try openWay(page)
      try page.evaluate(
        "window.saved = ''; URL.createObjectURL = blob => { blob.text().then(text => { window.saved = text }); return 'data:,' }"
      )
      try page.wait(until: "document.querySelector('.trips li') !== null")
      try page.evaluate(
        "[...document.querySelectorAll('.downloads button')].find(node => node.textContent === '\(name)').click()")
      try page.wait(until: "saved.includes('\(part)')")
    }
  }

  @Test func tagsAreSetAndFound() throws {
    try withPage(before: { for name in ["a", "b"] { try $0.record(1, of: name) } }) { page, uploader in
      try chooseFirst(page)
      try page.evaluate(
        "(() => { const input = document.querySelector('[name=tags]'); input.value = ' vans , north,vans'; input.focus() })()"
      )
      try page.press("Enter")
      try page.wait(until: "document.querySelector('.said').textContent === 'Its tags are vans, north.'")
      #expect(try uploader.send("GET", "/admin/v1/devices/a").body.contains(#""tags":["north","vans"]"#))
      try page.evaluate("document.getElementById('search').focus()")
      try page.type("north")
      try page.wait(until: "document.getElementById('list-count').textContent === '1 of 2 devices'")
    }
  }

  @Test func aDeletionAsksFirst() throws {
    try withPage(before: { for name in ["a", "b"] { try $0.record(1, of: name) } }) { page, uploader in
      try chooseFirst(page)
      let button = "[...document.querySelectorAll('.actions button')].at(-1)"
      try page.evaluate("\(button).focus(); \(button).click()")
      try page.wait(until: "\(button).textContent === 'Delete it with its records?'")
      #expect(try uploader.send("GET", "/admin/v1/devices/a").status == 200)
      try page.evaluate("\(button).click()")
      try page.wait(until: "document.getElementById('list-count').textContent === '1 device'")
      #expect(try uploader.send("GET", "/admin/v1/devices/a").status == 404)
    }
  }
}
