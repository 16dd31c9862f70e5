/// The script for a closer look at an interval of the run: all charts over time show it, and the values of an instant beside
/// their names. Without scripts the charts show the whole run as drawn in the page.
enum ChartScript {
  static let text = #"""
    'use strict'
    const section = document.querySelector('.over-time')
    const span = Number(section.dataset.span)
    const width = Number(section.dataset.width)
    /** Intervals of the run. */
    const total = Math.ceil(span / width)
    const whole = { first: 0, last: total }
    let view = whole
    let instant = null

    const end = interval => Math.min((interval + 1) * width, span)
    const clamp = (value, low, high) => Math.min(Math.max(value, low), high)
    const rounded = value => String(Math.round(value * 10) / 10)
    const path = points => points.map(([x, y], index) => `${index === 0 ? 'M' : 'L'}${rounded(x)} ${rounded(y)}`).join('')

    function element(name, attributes, text) {
      const node = document.createElementNS('http://www.w3.org/2000/svg', name)
      for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value)
      if (text !== undefined) node.textContent = text
      return node
    }

    // MARK: Times

    const two = number => String(number).padStart(2, '0')

    function clock(time) {
      const [hours, minutes, rest] = [Math.floor(time / 3600), Math.floor(time / 60) % 60, Math.floor(time % 60)]
      if (hours === 0) return `${two(minutes)}:${two(rest)}`
      return `${hours}h${two(minutes)}${rest > 0 ? `:${two(rest)}` : ''}`
    }

    /** NaN for what is no time. */
    function seconds(text) {
      const [, hours, minutes, rest] = /^(?:(\d+)h)?(\d+)(?::(\d+))?$/.exec(text.trim()) ?? []
      return hours ?? rest ? Number(hours ?? 0) * 3600 + Number(minutes) * 60 + Number(rest ?? 0) : NaN
    }

    const steps = [
      1, 2, 10, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 604800, 2592000,
    ]

    /** Round times of what is shown, at most eight of them, and those halfway, for which only a large chart has room. */
    function ticks(from, to) {
      const step = steps.find(step => Math.floor((to - from) / step) <= 6) ?? Math.floor((to - from) / 6)
      const half = step > 1 ? step / 2 : step
      const found = []
      for (let count = Math.ceil(from / half); count * half <= to; count += 1) {
        const isEven = Math.floor(count * half / step) % 2 === 0
        found.push({ time: count * half, isMinor: half < step && count % 2 === 1, isEven })
      }
      return found
    }

    // MARK: Charts

    /** Bars that stand for a time: marks of faults, and what is under the pointer. */
    function timedBars(drawing) {
      const length = drawing.viewBox.baseVal.width
      return [...drawing.querySelectorAll('rect')].map(node => {
        const [x, width] = ['x', 'width'].map(name => Number(node.getAttribute(name)))
        return { node, length, start: x / length * span, end: (x + width) / length * span }
      })
    }

    function drawBars(bars, x) {
      for (const { node, length, start, end } of bars) {
        const [left, right] = [start, end].map(time => clamp(x(time), 0, 1) * length)
        node.setAttribute('x', rounded(left))
        node.setAttribute('width', rounded(right - left))
      }
    }

    class Chart {
      constructor(figure) {
        this.title = figure.querySelector('h3').textContent
        this.drawing = figure.querySelector('.drawing')
        const { width, height } = this.drawing.viewBox.baseVal
        Object.assign(this, { length: width, height })
        this.words = figure.querySelector('.y')
        this.axis = figure.querySelector('.axis')
        this.scale = JSON.parse(this.drawing.dataset.scale)
        this.lines = [...this.drawing.querySelectorAll('.line')].map(line => ({
          line, under: line.previousElementSibling?.matches('.under') ? line.previousElementSibling : null,
          values: line.dataset.values.split(',').map(value => value === '' ? null : Number(value)),
        }))
        this.bars = timedBars(this.drawing)
        // The text of the browser's own tooltip is shown beside the names of the lines instead.
        this.hovers = [...this.drawing.querySelectorAll('.hover rect')]
        this.readings = this.hovers.map(node => node.textContent.split('\n').slice(1))
        this.hovers.forEach(node => node.replaceChildren())
        this.keys = [...figure.querySelectorAll('.key')].map(key => key.appendChild(document.createElement('b')))
        this.selection = this.drawing.appendChild(element('rect', { class: 'selection', y: 0, width: 0, height }))
        this.line = this.drawing.appendChild(element('line', { class: 'at', y1: 0, y2: height, visibility: 'hidden' }))
      }

      draw() {
        const [from, to] = [view.first * width, end(view.last - 1)]
        const x = time => (Math.min(time, span) - from) / (to - from)
        const { share, levels } = this.heights()
        drawBars(this.bars, x)
        for (const { line, under, values } of this.lines) {
          const pieces = this.pieces(values, x, share)
          line.setAttribute('d', pieces.map(path).join(' '))
          under?.setAttribute('d', pieces.map(piece =>
            path([...piece, [piece.at(-1)[0], this.height], [piece[0][0], this.height]]) + 'Z').join(' '))
        }
        const times = ticks(from, to).map(tick => ({ ...tick, x: x(tick.time) }))
        this.drawGrid(levels.slice(1).map(({ value }) => rounded(this.height * (1 - share(value)))), times)
        this.words.replaceChildren(...levels.map(({ value, text }) => element(
          'text', { x: '100%', dx: -8, y: `${rounded(100 - 100 * share(value))}%`, dy: 4, 'text-anchor': 'end' }, text)))
        this.axis.replaceChildren(...times.map(({ time, x, isMinor, isEven }) => element('text', {
          class: isMinor ? 'minor' : isEven ? 'even' : 'odd', x: `${rounded(100 * x)}%`, y: 13,
          'text-anchor': x < 0.02 ? 'start' : x > 0.96 ? 'end' : 'middle',
        }, clock(time))))
      }

      drawGrid(heights, times) {
        this.drawing.querySelectorAll('.grid').forEach(node => node.remove())
        const level = heights.map(y => element('line', { class: 'grid', x1: 0, x2: this.length, y1: y, y2: y }))
        const upright = times.map(({ x, isMinor }) => {
          const place = rounded(x * this.length)
          return element('line', { class: isMinor ? 'grid minor' : 'grid', x1: place, x2: place, y1: 0, y2: this.height })
        })
        const front = this.lines[0].under ?? this.lines[0].line
        front.before(...level, ...upright)
      }

      /** Stretches of a line without a gap, as far as they are shown. */
      pieces(values, x, share) {
        const pieces = [[]]
        const y = value => this.height * (1 - share(value))
        for (let index = view.first; index < Math.min(view.last, values.length); index += 1) {
          const value = values[index]
          if (value === null) {
            if (pieces.at(-1).length > 0) pieces.push([])
            continue
          }
          if (pieces.at(-1).length === 0) {
            const before = index === view.first ? values[index - 1] ?? value : value
            pieces.at(-1).push([x(index * width) * this.length, y(before)])
          }
          pieces.at(-1).push([x(end(index)) * this.length, y(value)])
        }
        return pieces.filter(piece => piece.length > 0)
      }

      /** The scale that fits what is shown; its words were written with the page. */
      heights() {
        const shown = this.lines.flatMap(({ values }) => values.slice(view.first, view.last)).filter(value => value !== null)
        return this.scale.tops ? this.linear(shown) : this.logarithmic(shown)
      }

      linear(shown) {
        const { tops, whole: greatest } = this.scale
        const least = view === whole ? greatest : Math.max(0, ...shown)
        const { top, words } = tops.find(({ top }) => top >= least) ?? tops.at(-1)
        const levels = words.map((text, index) => ({ value: top * index / 2, text }))
        return { levels, share: value => clamp(value / top, 0, 1) }
      }

      logarithmic(shown) {
        const { zeroShare, zero, steps } = this.scale
        const index = (found, otherwise) => found < 0 ? otherwise : found
        const above = shown.filter(value => value > 0)
        const lowest = above.length > 0 ? Math.min(...above) : 0
        const first = Math.max(index(steps.findIndex(({ value }) => value > lowest), steps.length) - 1, 0)
        const highest = Math.max(lowest, ...shown)
        const reached = index(steps.findIndex(({ value }) => value >= highest), steps.length - 1)
        const last = Math.max(reached, Math.min(first + 2, steps.length - 1))
        const count = last - first
        const places = count < 4 ? steps.slice(first, last + 1) : [0, 1, 2, 3].map(third => steps[first + Math.floor(third * count / 3)])
        const [bottom, top] = [steps[first].value, steps[last].value]
        const foot = shown.some(value => value <= 0) ? zeroShare : 0
        return {
          levels: [...(foot > 0 ? [{ value: 0, text: zero }] : []), ...places],
          share: value => foot > 0 && value <= 0
            ? 0 : foot + (1 - foot) * clamp(Math.log(Math.max(value, bottom) / bottom) / Math.log(top / bottom), 0, 1),
        }
      }

      /** The line at the instant, and the values there. */
      point() {
        const values = this.readings[instant] ?? []
        this.keys.forEach((key, index) => {
          key.textContent = values[index] ? ` ${values[index].slice(values[index].indexOf(': ') + 2)}` : ''
        })
        const box = this.hovers[instant]
        this.line.setAttribute('visibility', box ? 'visible' : 'hidden')
        if (!box) return
        const x = rounded(Number(box.getAttribute('x')) + Number(box.getAttribute('width')) / 2)
        this.line.setAttribute('x1', x)
        this.line.setAttribute('x2', x)
      }

      select(first, last) {
        const [left, right] = [first, last].map(interval =>
          clamp((interval - view.first) / (view.last - view.first), 0, 1) * this.length)
        this.selection.setAttribute('x', rounded(left))
        this.selection.setAttribute('width', rounded(right - left))
      }

      get sentence() { return `${this.title}: ${(this.readings[instant] ?? []).join(', ')}` }
    }

    const charts = [...section.querySelectorAll('.timed')].map(figure => new Chart(figure))
    const faults = [...section.querySelectorAll('.faults svg')].flatMap(timedBars)

    // MARK: What is shown

    function show(first, last) {
      const length = clamp(Math.round(last - first), 1, total)
      const start = clamp(Math.round(first), 0, total - length)
      view = length === total ? whole : { first: start, last: start + length }
      if (instant !== null && (instant < view.first || instant >= view.last)) instant = null
      const [from, to] = [view.first * width, end(view.last - 1)]
      drawBars(faults, time => (time - from) / (to - from))
      charts.forEach(chart => chart.draw())
      tools.tell(from, to)
      point(instant)
      // The address leads to the interval; it makes no entry of the history.
      const address = view === whole ? '#whole-run' : `#from=${view.first * width}&to=${view.last * width}`
      if (location.hash !== address && (location.hash !== '' || view !== whole)) location.replace(address)
    }

    function point(interval) {
      instant = interval === null ? null : clamp(interval, view.first, view.last - 1)
      charts.forEach(chart => chart.point())
      tools.pointed()
    }

    /** Those that times lie in, whole. */
    const intervals = (from, to) => [Math.floor(from / width), Math.ceil(to / width)]

    function followAddress() {
      const [from, to] = /^#from=(\d+)&to=(\d+)$/.exec(location.hash)?.slice(1) ?? [0, span]
      const [first, last] = intervals(from, to)
      if (first !== view.first || last !== view.last) show(first, last)
    }

    // MARK: Buttons and fields

    const make = (parent, name, properties = {}) =>
      Object.assign(parent.appendChild(document.createElement(name)), properties)

    class Tools {
      constructor(bar) {
        bar.hidden = false
        const quarter = () => (view.last - view.first) / 4
        const middle = () => instant === null ? (view.first + view.last) / 2 : instant + 0.5
        const around = size => show(middle() - size, middle() + size)
        const moved = size => show(view.first + size, view.last + size)
        const fields = make(bar, 'span')
        this.fields = [this.field(fields, 'From'), this.field(fields, 'to')]
        const buttons = make(bar, 'span')
        this.button(buttons, 'Zoom in', () => around(quarter()))
        this.button(buttons, 'Zoom out', () => around(4 * quarter()))
        this.button(buttons, 'Earlier', () => moved(-2 * quarter()))
        this.button(buttons, 'Later', () => moved(2 * quarter()))
        this.button(buttons, 'Whole run', () => show(0, total))
        const label = make(bar, 'label', { textContent: 'Values at ' })
        this.range = make(label, 'input', { type: 'range' })
        this.range.addEventListener('input', () => point(Number(this.range.value)))
        this.at = make(label, 'output')
        this.status = make(bar, 'p', { className: 'soft', role: 'status' })
      }

      button(bar, textContent, act) { make(bar, 'button', { type: 'button', textContent }).addEventListener('click', act) }

      field(bar, name) {
        const input = make(make(bar, 'label', { textContent: `${name} ` }), 'input', { size: 7 })
        input.addEventListener('input', () => input.setCustomValidity(''))
        input.addEventListener('change', () => this.take())
        return input
      }

      take() {
        const times = this.fields.map(input => seconds(input.value))
        this.fields.forEach((input, index) => input.setCustomValidity(
          Number.isNaN(times[index]) ? 'A time of the run is written as 12:30 (minutes and seconds) or as 1h05.'
            : index === 0 && times[0] >= span ? `The run has ended at ${clock(span)}.`
              : index === 1 && times[1] <= times[0] ? 'The end comes after the beginning.' : ''))
        if (this.fields.every(input => input.reportValidity())) show(...intervals(...times))
      }

      tell(from, to) {
        this.fields.forEach((input, index) => { input.value = clock([from, to][index]) })
        this.range.min = view.first
        this.range.max = view.last - 1
        const count = view.last - view.first
        this.status.textContent = view === whole
          ? 'Drag across a chart to look at an interval, double-click for the whole run.'
          : `${clock(from)} to ${clock(to)} of ${clock(span)}, ${count} interval${count === 1 ? '' : 's'} of ${width < 60 ? `${width} s` : clock(width)}`
      }

      pointed() {
        const time = instant === null ? '–' : clock(instant * width)
        this.range.value = instant ?? Math.floor((view.first + view.last) / 2)
        this.at.textContent = ` ${time}`
        const sentence = instant === null ? 'no instant' : `${time}. ${charts.map(chart => chart.sentence).join('. ')}`
        this.range.setAttribute('aria-valuetext', sentence)
      }
    }

    // MARK: The pointer

    function listen({ drawing }) {
      let start = null
      const interval = event => {
        const { left, width } = drawing.getBoundingClientRect()
        return view.first + Math.floor(clamp((event.clientX - left) / width, 0, 0.9999) * (view.last - view.first))
      }
      const selected = event => [start.interval, interval(event)].sort((one, other) => one - other)
      const drop = () => {
        start = null
        charts.forEach(chart => chart.select(0, 0))
      }
      drawing.addEventListener('pointerdown', event => {
        if (event.button !== 0) return
        start = { x: event.clientX, interval: interval(event) }
        drawing.setPointerCapture(event.pointerId)
        point(start.interval)
      })
      drawing.addEventListener('pointermove', event => {
        point(interval(event))
        if (!start) return
        const [first, last] = selected(event)
        charts.forEach(chart => chart.select(first, last + 1))
      })
      drawing.addEventListener('pointerup', event => {
        if (start && Math.abs(event.clientX - start.x) > 5) {
          const [first, last] = selected(event)
          show(first, last + 1)
        }
        drop()
      })
      drawing.addEventListener('pointercancel', drop)
      drawing.addEventListener('pointerleave', event => { if (event.pointerType === 'mouse' && !start) point(null) })
      drawing.addEventListener('dblclick', () => show(0, total))
    }

    const tools = new Tools(section.querySelector('.zoom'))
    charts.forEach(listen)
    section.addEventListener('keydown', event => { if (event.key === 'Escape') show(0, total) })
    addEventListener('hashchange', followAddress)
    tools.tell(0, span)
    tools.pointed()
    followAddress()
    """#
}
