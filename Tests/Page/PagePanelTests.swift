import IngestServer
import JSON
import Testing
import Threaded

/// What its user does to devices and to the server.
@Suite(.serialized, .waits, .enabled(if: Browser.isWanted, Browser.remedy))
final class PagePanelTests: PageStage {
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

  @Test(arguments: [false, true])
  func everyChoiceForACommandCanBeReadWhole(isPhone: Bool) throws {
    let look = isPhone ? BrowserPage.Look.phone : BrowserPage.Look()
    try withPage(look, path: "/#device=van-1", before: { try $0.record(1, of: "van-1") }) { page, _ in
      try page.wait(until: "document.querySelector('.order-form') !== null")
      if isPhone { try page.click(".views [data-view=side]") }
      let cut = try page.text(
        """
        [...document.querySelectorAll('.order-form select')].flatMap(select => [...select.options].filter(({ index }) => {
          select.selectedIndex = index
          const needed = select.cloneNode()
          needed.append(select.options[index].cloneNode(true))
          needed.style.cssText = 'width: auto; position: fixed'
          document.body.append(needed)
          const isCut = needed.offsetWidth > select.offsetWidth
          needed.remove()
          return isCut
        })).map(option => option.text).join()
        """)
      #expect(cut == "")
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
      try page.wait(until: "document.querySelector('.card .hits').textContent === '1 of 1 requests matched'")
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

  @Test func aRefusedDeletionAndTheFocusStayWhenTheQuarantineIsRefreshed() throws {
    let bad = #"{"location":{"uuid":"1","timestamp":"2026-07-28T18:00:00.000Z","coords":{"latitude":"north"}}}"#
    try withPage(before: { _ = try $0.post("/locations", bad, device: "van-1") }) { page, uploader in
      try page.click("#tab-quarantine")
      try page.evaluate(
        """
        window.real = fetch
        window.fetch = (url, options) => options.method !== 'DELETE' ? real(url, options)
          : Promise.resolve(new Response(JSON.stringify({ error: { code: 'full', message: 'the disk is full' } }), { status: 503 }))
        """)
      try page.click("#panel-quarantine .card summary")
      try page.click("#panel-quarantine .card button")
      let said = "[...document.querySelectorAll('#panel-quarantine .problem')].map(node => node.textContent).join('')"
      try page.wait(until: "\(said) === 'the disk is full'")
      _ = try uploader.post("/locations", bad.replacing("north", with: "south"), device: "van-1")
      try page.wait(until: "document.querySelectorAll('#panel-quarantine .card').length === 2")
      #expect(try page.text(said) == "the disk is full")
      #expect(try page.evaluate("document.activeElement.closest('.card') !== null") == .bool(true))
    }
  }

  @Test func thePageAsksForTheTokenAndKeepsItInTheTabAlone() throws {
    try withPage(problemsExpected: 2, isOpen: false, configure: { $0.adminToken = "open-sesame" }) { page, _ in
      try page.wait(until: "document.getElementById('ask-token').open")
      try page.type("wrong")
      try page.press("Enter")
      try page.wait(until: "document.getElementById('ask-token-problem').textContent === 'Wrong token.'")
      try page.type("open-sesame")
      try page.press("Enter")
      try page.wait(until: "document.getElementById('link').dataset.state === 'live'")
      #expect(try page.evaluate("Object.values(sessionStorage).join()") == "open-sesame")
      #expect(try page.evaluate("localStorage.length + document.cookie.length") == .integer(0))
    }
  }
}
