import JSON
import Support
import Testing
import Threaded

/// That the page shows the devices that there are, where they are, and as they are.
@Suite(.serialized, .waits, .enabled(if: Browser.isWanted, Browser.remedy))
final class PageFleetTests: PageStage {
  /// Several requests between two glances are one line.
  @Test func eachFailureOfALineIsCounted() throws {
    try withPage { page, _ in
      let counts = try page.text(
        """
        (async () => {
          const { Fleet } = await import('/page/fleet.js')
          const fleet = new Fleet()
          const live = words => fleet.takeLive({ run: '', device: 'a', seenAt: 1, places: [], ...words })
          const counts = () => { const { failures, failed } = fleet.find('', 'a'); return `${failures} ${failed}` }
          live({ status: 503, fault: 'status', failures: 3, failed: 3 })
          const first = counts()
          live({ status: 503, fault: 'status', failures: 1, failed: 2 })
          const second = counts()
          live({ status: 200 })
          return [first, second, counts()].join()
        })()
        """)
      #expect(counts == "3 3,1 5,0 5")
    }
  }

  /// A device that rests has said so.
  @Test func aDeviceOfWhichNothingIsKnownIsUnknown() throws {
    let row = "document.querySelector('.list-row:not([hidden])')"
    let body = #"{"location":{"uuid":"00000000-0000-4000-8000-000000000001","timestamp":"2026-07-28T18:00:00.000Z"}}"#
    try withPage { page, uploader in
      #expect(try uploader.post("/locations", body, device: "bad").body.contains(#""quarantined":1"#))
      try page.wait(until: "\(row)?.textContent.includes('bad')")
      #expect(try page.text("\(row).querySelector('.mark').dataset.state") == "unknown")
      try page.reload()
      try page.wait(until: "\(row)?.querySelector('.mark').dataset.state === 'unknown'")
      try uploader.record(2, of: "bad")
      try page.wait(until: "\(row).querySelector('.mark').dataset.state !== 'unknown'")
    }
  }

  private static func shows(_ count: String) -> String {
    "document.getElementById('list-count').textContent === '\(count)'"
  }

  @Test func aDeletedDeviceLeavesThePageAtOnce() throws {
    let before = { (uploader: Uploader) throws in for name in ["a", "b"] { try uploader.record(1, of: name) } }
    try withPage(before: before) { page, uploader in
      try page.wait(until: Self.shows("2 devices"))
      try chooseFirst(page)
      // What the page asks about the device is answered before it is gone: a browser complains of each 404.
      try page.wait(until: "document.getElementById('panel-device').getAttribute('aria-busy') === 'false'")
      #expect(try uploader.send("DELETE", "/admin/v1/devices/a").status == 200)
      try page.wait(until: Self.shows("1 device"))
      #expect(try page.text("document.querySelector('.list-row:not([hidden]) .row-name').textContent") == "b")
      let said = "a is not on the server any more."
      #expect(try page.text("document.getElementById('panel-device').textContent") == said)
      try uploader.record(2, of: "a")
      try page.wait(until: Self.shows("2 devices"))
    }
  }

  @Test func aResetEmptiesThePageAtOnce() throws {
    let before = { (uploader: Uploader) throws in
      try uploader.record(1, of: "outside")
      _ = try uploader.post("/r/test-1/locations", Uploader.body(1), device: "inside")
      #expect(try uploader.send("PUT", "/r/test-1/admin/v1/faults", PageFaultTests.rule(at: "inside")).status == 200)
    }
    try withPage(before: before) { page, uploader in
      try page.wait(until: Self.shows("2 devices"))
      try page.wait(until: "document.getElementById('badge-faults').textContent === '1'")
      #expect(try uploader.send("POST", "/admin/v1/reset?run=test-1").status == 200)
      try page.wait(until: Self.shows("1 device"))
      try page.wait(until: "document.getElementById('badge-faults').hidden")
      #expect(try uploader.send("POST", "/admin/v1/reset").status == 200)
      try page.wait(until: Self.shows("0 devices"))
      try page.wait(until: "!document.getElementById('map-hint').hidden")
    }
  }

  /// What the stream tells while a list is on its way is newer than the list.
  @Test func aListIsTakenAsItIsButForWhatHappenedMeanwhile() throws {
    try withPage { page, _ in
      let names = try page.text(
        """
        (async () => {
          const { Fleet } = await import('/page/fleet.js')
          const fleet = new Fleet()
          const live = (device, run = '') => fleet.takeLive({ run, device, seenAt: 1, status: 200, places: [] })
          const stored = (device, run = '', firstSeen = 't') => ({ run, device, firstSeen, lastSeen: '2026-07-28T18:00:00Z', latest: null })
          for (const name of ['ghost', 'kept', 'made-again']) live(name)
          const first = fleet.find('', 'made-again')
          fleet.expectList()
          fleet.takeList([stored('made-again'), stored('kept')])
          fleet.expectList()
          live('new')
          fleet.remove('', 'deleted')
          fleet.forget('x')
          live('later', 'x')
          fleet.takeList([stored('kept'), stored('deleted'), stored('a', 'x'), stored('later', 'x'), stored('made-again', '', 'u')])
          if (fleet.find('', 'made-again') === first) return 'the device of the same name'
          return fleet.all.map(({ name }) => name).sort().join()
        })()
        """)
      #expect(names == "kept,later,made-again,new")
    }
  }

  @Test func theMapFollowsDevicesThatCameAfterThePage() throws {
    try withPage { page, uploader in
      try uploader.record(1, of: "west", longitude: -73.5)
      try page.wait(until: Self.marksIn(0.4, 0.6))
      try uploader.record(1, of: "east", longitude: -72.5)
      try page.wait(until: "\(Self.marksIn(0, 0.25)) && \(Self.marksIn(0.75, 1))")
    }
  }

  /// A mark stands in this part of the map's width.
  private static func marksIn(_ from: Double, _ to: Double) -> String {
    """
    (() => {
      const marks = document.getElementById('marks')
      const [left, right] = [Math.round(marks.width * \(from)), Math.round(marks.width * \(to))]
      return marks.getContext('2d').getImageData(left, 0, right - left, marks.height).data.some(byte => byte > 0)
    })()
    """
  }

  @Test func theMapThatSomebodyMovedStaysUntilItIsAskedToShowAll() throws {
    try withPage { page, _ in
      let seen = try page.text(
        """
        (async () => {
          const [{ DeviceMap }, { Fleet }] = await Promise.all([import('/page/map.js'), import('/page/fleet.js')])
          const [canvas, marks, fleet] = [document.createElement('canvas'), document.createElement('canvas'), new Fleet()]
          document.querySelector('.map').append(canvas)
          const map = new DeviceMap(canvas, marks, fleet)
          const frame = () => new Promise(requestAnimationFrame)
          while (map.view.width === 1) await frame()
          const come = (device, longitude) => {
            fleet.takeLive({ run: '', device, seenAt: 1, status: 200, places: [], latitude: 45, longitude, recordedAt: 1, arrivedAt: 1 })
            map.keepInSight()
          }
          const all = () => fleet.all.every(({ x, y }) => map.view.shows(x, y))
          come('a', 0)
          if (!all()) return 'not the first'
          come('b', 10)
          while (!all()) await frame()
          map.moved()
          const before = map.view.copy()
          come('c', 40)
          for (let count = 0; count < 3; count += 1) await frame()
          if (!map.view.equals(before)) return 'moved by itself'
          map.fit()
          if (!all()) return 'not all'
          come('d', 80)
          while (!all()) await frame()
          return 'follows'
        })()
        """)
      #expect(seen == "follows")
    }
  }

  /// A log, a refused upload or the same record once more are no record.
  @Test func lateIsWhatWasOldWhenItCame() throws {
    try withPage { page, _ in
      let states = try page.text(
        """
        (async () => {
          const [{ Fleet }, { behind }] = await Promise.all([import('/page/fleet.js'), import('/page/states.js')])
          const fleet = new Fleet()
          const now = fleet.now
          const tell = (recordedAt, arrivedAt, seenAt) => {
            fleet.takeLive({ run: '', device: 'a', status: 200, places: [], latitude: 45, longitude: 0, isMoving: false, recordedAt, arrivedAt, seenAt })
            return fleet.find('', 'a')
          }
          const states = [tell(now - 90_000, now - 89_000, now - 89_000).state]
          states.push(tell(now - 90_000, now - 89_000, now).state, tell(now - 90_000, now, now).state, behind(fleet.all[0]))
          states.push(tell(now - 80_000, now, now).state, tell(now, now, now).state)
          return states.join()
        })()
        """)
      #expect(states == "stationary,stationary,stationary,1000,late,stationary")
    }
  }

  /// The journal is searched a stretch at a time: that nothing was found in one does not mean that there is nothing.
  @Test func aSearchOfTheJournalSaysHowFarItWent() throws {
    try withPage(before: { try $0.record(1, of: "van-1") }) { page, _ in
      try page.evaluate(
        """
        window.real = fetch
        window.fetch = (url, options) => !String(url).includes('/requests?') ? real(url, options)
          : Promise.resolve(new Response(JSON.stringify({ requests: [], cursor: '7' })))
        """)
      try chooseFirst(page)
      let text = "document.querySelector('.section-body').textContent"
      try page.wait(until: "\(text).includes('None is among the last 50,000 requests.')")
      try page.click(".more button")
      try page.wait(until: "\(text).includes('None is among the last 100,000 requests.')")
      try page.evaluate("window.fetch = real")
      try page.click(".more button")
      try page.wait(until: "document.querySelectorAll('.request').length === 1")
      #expect(try page.evaluate("document.querySelector('.more')") == .null)
    }
  }
}
