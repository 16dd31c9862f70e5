import JSON
import Testing
import Threaded

/// The charts: where a sample stands, and what stands at the axes.
@Suite(.serialized, .waits, .enabled(if: Browser.isWanted, Browser.remedy))
final class PageChartTests: PageStage {
  @Test func aSampleStandsWhereItsTimeIsAndNoLineCrossesASilence() throws {
    try withPage { page, _ in
      // Two samples a minute ago and two now, drawn 200 pixels wide: the strokes of the line, as its ends in whole pixels.
      let strokes = try page.text(
        """
        (async () => {
          const { Charts } = await import('/page/charts.js')
          const box = document.createElement('div')
          document.querySelector('.map').append(box)
          let now = 0
          const charts = new Charts(box, [{ title: 't', format: String, lines: [{ name: 'a', key: 'a', color: 'good' }] }], () => now)
          const canvas = box.querySelector('canvas')
          for (const [name, size] of [['clientWidth', 200], ['clientHeight', 100]]) Object.defineProperty(canvas, name, { value: size })
          for (now of [60_000, 61_000, 119_000, 120_000]) charts.append({ at: now, a: 1 })
          let strokes = []
          let path = []
          const context = canvas.getContext('2d')
          context.beginPath = () => { path = [] }
          context.moveTo = context.lineTo = x => path.push(Math.round(x))
          context.stroke = () => strokes.push(path.join('-'))
          charts.draw()
          box.remove()
          return strokes.slice(3).join(' ')
        })()
        """)
      // 188 pixels are two minutes, from 6 to 194.
      #expect(strokes == "100-102 192-194")
    }
  }

  /// A line between one point and itself would not be seen, and four lines at zero are one.
  @Test func oneSampleIsADotAndZeroesAreOneLine() throws {
    try withPage { page, _ in
      let drawn = try page.text(
        """
        (async () => {
          const { Charts } = await import('/page/charts.js')
          const box = document.createElement('div')
          document.querySelector('.map').append(box)
          const lines = ['a', 'b', 'c'].map(key => ({ name: key, key, color: 'good' }))
          const charts = new Charts(box, [{ title: 't', format: String, lines }], () => 60_000)
          const canvas = box.querySelector('canvas')
          for (const [name, size] of [['clientWidth', 200], ['clientHeight', 100]]) Object.defineProperty(canvas, name, { value: size })
          charts.append({ at: 40_000, a: 0, b: 0, c: 5 })
          for (const at of [50_000, 51_000]) charts.append({ at, a: 0, b: 0, c: null })
          let [strokes, dots] = [0, 0]
          const context = canvas.getContext('2d')
          context.stroke = () => { strokes += 1 }
          context.arc = () => { dots += 1 }
          charts.draw()
          box.remove()
          return `${dots} ${strokes}`
        })()
        """)
      // Three lines of the grid; two parts of a, one of c.
      #expect(drawn == "2 6")
    }
  }

  @Test func theSamplesOfTenMinutesAreKeptByTheirTime() throws {
    try withPage { page, _ in
      let kept = try page.text(
        """
        (async () => {
          const { Series } = await import('/page/series.js')
          const series = new Series()
          const instants = () => series.samples.map(({ at }) => at / 1_000).join()
          for (const at of [0, 1, 100, 601]) series.append({ at: at * 1_000 })
          const first = instants()
          series.append({ at: 100_500 })
          return `${first} ${instants()} ${series.nearest(0.99, 100_500)?.at} ${series.nearest(0.5, 100_500)?.at}`
        })()
        """)
      #expect(kept == "100,601 100,100.5 100000 undefined", "and those of a clock that was put back are dropped")
    }
  }

  @Test func theNumbersAtTheAxesAreWhatStandsThere() throws {
    try withPage { page, _ in
      let wrong = try page.text(
        """
        (async () => {
          const [{ niceTop }, { rate }] = await Promise.all([import('/page/series.js'), import('/page/format.js')])
          const wrong = []
          for (let value = 0.1; value < 100_000; value *= 1.07) {
            const top = niceTop(value)
            if (top < value) wrong.push(`${value}: ${top}`)
            for (const number of [top, top / 2]) if (Number(rate(number).replaceAll(',', '')) !== number) wrong.push(`${number}: ${rate(number)}`)
          }
          return wrong.join()
        })()
        """)
      #expect(wrong == "")
    }
  }

  @Test func aChartWithoutValuesHasNoScale() throws {
    try withPage { page, _ in
      try page.evaluate(
        """
        (() => {
          window.written = []
          const write = CanvasRenderingContext2D.prototype.fillText
          CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) { written.push(text); write.call(this, text, ...rest) }
        })()
        """)
      try page.wait(until: "written.includes('now')")
      #expect(try page.text("written.filter(text => /[µm]s$/.test(text)).join()") == "")
    }
  }
}
