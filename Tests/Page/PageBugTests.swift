import IngestServer
import JSON
import Support
import Testing
import Threaded

/// What went wrong once when a person used the page.
@Suite(.serialized, .waits, .enabled(if: Browser.isWanted, Browser.remedy))
final class PageBugTests: PageStage {
  private static func state(_ state: String) -> String {
    "document.querySelector('.list-row:not([hidden]) .mark')?.dataset.state === '\(state)'"
  }

  /// Chromium lets a page keep a dialog open only after its user has done something in it.
  @Test func escapeLeavesAWayToTheTokenAndSaysNothingFalse() throws {
    try withPage(problemsExpected: 1, isOpen: false, configure: { $0.adminToken = "open-sesame" }) { page, _ in
      try page.wait(until: "document.getElementById('ask-token').open")
      // What Escape does; keys of the protocol do not reach the browser's own handling of dialogs.
      try page.evaluate("document.getElementById('ask-token').close()")
      try page.wait(until: "!document.getElementById('locked').hidden")
      #expect(
        try page.evaluate("document.getElementById('map-hint').hidden") == .bool(true), "nothing is known of devices")
      let counts =
        "[...document.querySelectorAll('#figure-devices, #list-count, .legend-item b')].map(node => node.textContent || '–').join('')"
      #expect(try page.text(counts) == String(repeating: "–", count: 9))
      #expect(try page.text("document.getElementById('map-summary').textContent") == "")
      try page.click("#locked-ask")
      try page.wait(until: "document.getElementById('ask-token').open")
      try page.type("open-sesame")
      try page.press("Enter")
      try page.wait(until: "document.getElementById('link').dataset.state === 'live'")
      #expect(try page.evaluate("document.getElementById('locked').hidden") == .bool(true))
    }
  }

  @Test func aReloadForgetsNeitherFailuresNorThoseThatOnlyEverFailed() throws {
    let before = { (uploader: Uploader) throws in
      #expect(try uploader.send("PUT", "/admin/v1/faults", PageFaultTests.rule(at: "van-1")).status == 200)
      for _ in 0..<2 { #expect(try uploader.record(1, of: "van-1").status == 500) }
    }
    // The store has no such device, and says 404.
    try withPage(problemsExpected: 1, before: before) { page, uploader in
      try page.wait(until: Self.state("failing"))
      try chooseFirst(page)
      let answer = "document.querySelector('[data-fact=\"last answer\"] dd').textContent"
      #expect(try page.text(answer) == "500, fault status, 2 failures in a row")
      #expect(try uploader.send("DELETE", "/admin/v1/faults").status == 200)
      try uploader.record(1, of: "van-1")
      try page.wait(until: Self.state("stationary"))
    }
  }

  @Test func afterAResetNothingSaysThatNoDeviceEverCame() throws {
    let hint = "document.getElementById('map-hint')"
    try withPage { page, uploader in
      // Before the list has come it is hidden, too.
      try page.wait(
        until: "!\(hint).hidden && \(hint).textContent.startsWith('No device has sent anything yet. ')")
      try uploader.record(1, of: "van-1")
      try page.wait(until: "\(hint).hidden")
      #expect(try uploader.send("POST", "/admin/v1/reset").status == 200)
      try page.wait(until: "!\(hint).hidden && \(hint).textContent.startsWith('No device is left')")
      try page.wait(until: "document.getElementById('list-count').textContent === '0 devices'")
      #expect(try page.text("document.getElementById('map-summary').textContent") == "No devices.")
    }
  }

  @Test func aDeviceThatIsRefusedStaysRefused() throws {
    var token = ""
    let before = { (uploader: Uploader) throws in
      token = try uploader.register("van-1")
      try uploader.record(1, of: nil, token: token)
      _ = try uploader.send("POST", "/admin/v1/tokens/revoke", #"{"all":true}"#)
      #expect(try uploader.record(2, of: nil, token: token).status == 401)
    }
    try withPage(configure: { $0.authentication = .required }, before: before) { page, _ in
      try page.wait(until: Self.state("refused"))
    }
  }

  @Test func theChartsAreFullAfterAReload() throws {
    try withPage(before: { for number in 1...3 { try $0.record(number, of: "van-1") } }) { page, _ in
      let told = try page.text(
        """
        (async () => {
          const { Figures } = await import('/page/figures.js')
          const past = { bounds: [100, 200, 400], samples: [
            { at: 0, requests: { '2xx': 0 }, accepted: 0, duplicate: 0, quarantined: 0, faults: 0, answered: 0, connections: 1, waitingJobs: 0, answers: [] },
            { at: 1000, requests: { '2xx': 4 }, accepted: 8, duplicate: 0, quarantined: 0, faults: 0, answered: 4, connections: 1, waitingJobs: 0, answers: [[1, 4]] },
            { at: 2000, requests: { '2xx': 8 }, accepted: 8, duplicate: 0, quarantined: 0, faults: 0, answered: 8, connections: 1, waitingJobs: 0, answers: [[2, 4]] },
          ] }
          return Figures.past(past).map(({ at, requests, accepted, p50, p95 }) => [at, requests, accepted, Math.round(p50), Math.round(p95)].join(' ')).join(', ')
        })()
        """)
      #expect(told == "1000 4 8 150 195, 2000 4 4 200 380")
      // The real ones are there before the first figures of the stream make a rate.
      try page.reload()
      let accepted = "[...document.querySelectorAll('.chart')][2].querySelector('canvas').getAttribute('aria-label')"
      try page.wait(until: "\(accepted).includes('stored ') && !\(accepted).includes('stored –')")
    }
  }

  /// On a quiet server nothing changes but the time.
  @Test func agesGoOnOnAQuietServer() throws {
    try withPage(before: { try $0.record(1, of: "van-1") }) { page, _ in
      try page.wait(until: "document.querySelector('.row-detail')?.textContent.startsWith('stationary')")
      let age = "Number(/(\\d+) s/.exec(document.querySelector('.row-detail').textContent)[1])"
      let first = try page.evaluate(age)
      try page.wait(until: "\(age) > \(first.text) + 1")
    }
  }

  @Test func onAPhoneATapLeadsToTheDeviceAndBackToTheMap() throws {
    try withPage(.phone, before: { try $0.record(1, of: "van-1") }) { page, _ in
      try page.click(".views [data-view=fleet]")
      try page.click(".list-row:not([hidden])")
      try page.wait(
        until: "document.body.dataset.view === 'side' && document.querySelector('.device-head h2') !== null")
      try page.click(".actions button")
      try page.wait(until: "document.body.dataset.view === 'map'")
      try page.evaluate("history.back()")
      try page.wait(until: "document.body.dataset.view === 'side'")
      try page.click(".actions button[aria-pressed]")
      try page.wait(until: "document.body.dataset.view === 'map'")
    }
  }

  @Test func theTokensOfAllDevicesAreNotRevokedByOneClick() throws {
    try withPage(path: "/#tab=tokens", configure: { $0.authentication = .required }) { page, uploader in
      let token = try uploader.register("van-1")
      try page.wait(until: "document.getElementById('panels').disabled === false")
      try page.click("#panel-tokens .danger")
      try page.wait(
        until: "document.querySelector('#panel-tokens .danger').textContent === 'Revoke those of all devices?'")
      #expect(try uploader.record(1, of: nil, token: token).status == 200)
      try page.click("#panel-tokens .danger")
      try page.wait(until: "document.querySelector('#panel-tokens .said').textContent === '1 login was revoked.'")
      #expect(try uploader.record(2, of: nil, token: token).status == 401)
      try page.click("#panel-tokens form:nth-of-type(2) button")
      try page.wait(
        until: "document.querySelector('#panel-tokens .said').textContent === 'The next refresh will fail.'")
    }
  }

  @Test func aRunWithoutASlashIsItsPage() throws {
    try withPage(path: "/r/job-1") { page, _ in
      try page.wait(until: "document.getElementById('run').textContent === 'run job-1'")
      #expect(try page.text("location.pathname") == "/r/job-1/")
    }
  }

  @Test func connectionsAreThoseOfDevices() throws {
    try withPage { page, uploader in
      try page.wait(until: "document.getElementById('figure-connections').textContent === '0'")
      let device = try LoopbackClient(port: uploader.port)
      try device.send("POST /locations HTTP/1.1\r\nHost: a\r\nX-Device-Id: a\r\nContent-Length: 2\r\n\r\n{}")
      _ = try device.receive(16)
      try page.wait(until: "document.getElementById('figure-connections').textContent === '1'")
    }
  }

  @Test func thePointerOnAChartTellsItsTime() throws {
    try withPage(before: { try $0.record(1, of: "van-1") }) { page, _ in
      try page.wait(until: "!document.querySelector('.chart canvas').getAttribute('aria-label').includes('2xx –')")
      try page.evaluate(
        "(() => { const canvas = document.querySelector('.chart canvas'); const box = canvas.getBoundingClientRect(); canvas.dispatchEvent(new PointerEvent('pointermove', { clientX: box.right - 7, clientY: box.top + 20 })) })()"
      )
      try page.wait(until: "/^\\d\\d:\\d\\d:\\d\\d$/.test(document.querySelector('.chart-scale').textContent)")
    }
  }

  /// Every request that a fault meets with a 500 is in both lines.
  @Test func aLineOfFaultsHidesNoLineOfErrors() throws {
    try withPage { page, _ in
      let dashes = try page.text(
        """
        (async () => {
          const { Charts } = await import('/page/charts.js')
          const box = document.createElement('div')
          document.querySelector('.map').append(box)
          const charts = new Charts(box, [{ title: 't', format: String, lines: [{ name: 'a', key: 'a', color: 'bad' }, { name: 'b', key: 'a', color: 'fault', isDashed: true }] }], () => 2_000)
          const canvas = box.querySelector('canvas')
          for (const [name, size] of [['clientWidth', 200], ['clientHeight', 100]]) Object.defineProperty(canvas, name, { value: size })
          for (const at of [1_000, 2_000]) charts.append({ at, a: 1 })
          const strokes = []
          const context = canvas.getContext('2d')
          context.stroke = () => strokes.push(context.getLineDash().length)
          charts.draw()
          box.remove()
          return strokes.slice(3).join()
        })()
        """)
      #expect(dashes == "0,2")
    }
  }
}
