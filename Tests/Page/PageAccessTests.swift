import IngestServer
import JSON
import Testing
import Threaded

/// Names, contrast and the keyboard.
@Suite(.serialized, .waits, .enabled(if: Browser.isWanted, Browser.remedy))
final class PageAccessTests: PageStage {
  @Test(arguments: [false, true])
  func everyPillCanBeRead(isDark: Bool) throws {
    var look = BrowserPage.Look()
    look.isDark = isDark
    try withPage(look) { page, _ in
      try page.evaluate(
        """
        (async () => {
          const [{ element }, { states }, { statusElement }] = await Promise.all(['dom', 'states', 'requests'].map(name => import(`/page/${name}.js`)))
          const orders = ['queued', 'sent', 'delivered', 'confirmed', 'expired']
          document.getElementById('panel-device').replaceChildren(element('div', { class: 'probe' },
            ...states.map(({ name }) => element('span', { class: 'state', 'data-state': name }, name)),
            ...[200, 302, 404, 503].map(statusElement),
            ...orders.map(name => element('span', { class: 'tag', 'data-order': name }, name)),
            element('span', { class: 'tag tag-fault' }, 'fault'), element('span', { class: 'badge' }, '1'),
            element('p', { class: 'quiet' }, 'quiet'), element('p', { class: 'problem' }, 'problem'),
            element('button', { class: 'asking' }, 'sure?'), element('button', { class: 'primary' }, 'go'), element('button', { class: 'link-button' }, 'link')))
        })()
        """)
      #expect(try page.text(Contrast.faint) == "")
    }
  }

  @Test(arguments: [false, true])
  func everyPanelCanBeRead(isDark: Bool) throws {
    var look = BrowserPage.Look(width: 1_440, height: 900)
    look.isDark = isDark
    let disabled = #"{"faults":[{"id":"a","fault":{"kind":"status"},"match":{"device":"van-9"},"enabled":false}]}"#
    let before = { (uploader: Uploader) throws in
      try uploader.record(1, of: "van-1")
      #expect(try uploader.send("PUT", "/admin/v1/faults", disabled).status == 200)
      _ = try uploader.post("/locations", #"{"location":5}"#, device: "van-2")
    }
    try withPage(look, path: "/#dock=log", before: before) { page, _ in
      try chooseFirst(page)
      try page.click(".legend-item[data-state=late]")
      try page.wait(until: "document.querySelector('#log-rows .request') !== null")
      for tab in ["device", "runs", "faults", "checks", "tokens", "quarantine"] {
        try page.click("#tab-\(tab)")
        if tab == "faults" { try page.wait(until: "document.querySelector('.card[data-enabled=false]') !== null") }
        #expect(try page.text(Contrast.faint) == "", "\(tab)")
      }
    }
  }

  @Test(arguments: [false, true])
  func thePageWithoutItsTokenCanBeRead(isDark: Bool) throws {
    var look = BrowserPage.Look()
    look.isDark = isDark
    try withPage(look, problemsExpected: 1, isOpen: false, configure: { $0.adminToken = "open-sesame" }) { page, _ in
      try page.wait(until: "document.getElementById('ask-token').open")
      #expect(try page.text(Contrast.faint) == "", "the dialog")
      try page.evaluate("document.getElementById('ask-token').close()")
      try page.wait(until: "!document.getElementById('locked').hidden")
      #expect(try page.text(Contrast.faint) == "")
    }
  }

  /// Beside each other in their full length, with a count at two of them.
  @Test func noTabIsCutOff() throws {
    try withPage(BrowserPage.Look(width: 1_440, height: 900)) { page, _ in
      try page.evaluate(
        """
        for (const [id, text] of [['badge-faults', '12'], ['badge-quarantine', '128']]) Object.assign(document.getElementById(id), { hidden: false, textContent: text })
        """)
      let cut = try page.text(
        """
        [...document.querySelectorAll('.tabs button')].filter(node => node.getBoundingClientRect().right > node.parentElement.getBoundingClientRect().right).map(node => node.textContent).join()
        """)
      #expect(cut == "")
    }
  }

  @Test func everythingThatCanBeUsedHasAName() throws {
    let before = { (uploader: Uploader) throws in
      try uploader.record(1, of: "van-1")
      #expect(try uploader.send("PUT", "/admin/v1/faults", PageFaultTests.rule(at: "van-1")).status == 200)
    }
    try withPage(path: "/#dock=log", before: before) { page, _ in
      try chooseFirst(page)
      for tab in ["runs", "faults", "checks", "tokens", "quarantine", "device"] { try page.click("#tab-\(tab)") }
      try page.wait(
        until: "document.querySelector('#log-rows .request') !== null && document.querySelector('.card') !== null")
      let nameless = try page.text(
        """
        [...document.querySelectorAll('button, input, select, textarea, canvas:not([aria-hidden]), [role=listbox], [role=tablist]')]
          .filter(node => !node.hidden && !(node.getAttribute('aria-label') || node.textContent.trim() && node.localName === 'button' || node.labels?.length > 0))
          .map(node => node.outerHTML).join(' ')
        """)
      #expect(nameless == "")
      let described = try page.text("document.getElementById('map').getAttribute('aria-describedby')")
      #expect(described.contains("map-summary"))
      try page.wait(until: "document.getElementById('map-summary').textContent.startsWith('1 device: 1 ')")
    }
  }

  @Test func theNewTabsTakeArrowKeys() throws {
    try withPage(before: { try $0.record(1, of: "van-1") }) { page, _ in
      try page.evaluate("document.getElementById('dock-charts').focus()")
      try page.press("ArrowRight")
      #expect(try page.text("document.activeElement.id + document.body.dataset.dock") == "dock-loglog")
      try page.wait(until: "document.querySelector('#log-rows .request') !== null")
      try page.evaluate("document.querySelector('#log-rows .request summary').focus()")
      try page.press("Enter")
      try page.wait(until: "document.querySelector('#log-rows .request[open]') !== null")
    }
  }
}
