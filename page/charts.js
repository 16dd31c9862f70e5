// Small charts of the last minutes, drawn by hand: a sample a second, where its time is, one value for each line. The numbers
// at the grid are written over the lines, so that the charts keep their width on a phone.

import { element, replaceText } from './dom.js'
import { time } from './format.js'
import { niceTop, Series } from './series.js'

const padding = { top: 6, right: 6, bottom: 16, left: 6 }
/** Beside the edges: how long ago in few words, and the hour at a long stretch. */
const instantsOf = (span, edge) => [[0, `${span / 60_000} min ${edge === 'now' ? 'ago' : 'before'}`], [0.5, `${span / 120_000} min`], [1, edge]]

export class Charts {
  #series = new Series()
  #charts
  #now
  /** What the right edge is called. */
  edge = 'now'
  /** The place on the axis under the pointer. */
  #hovered = null

  /**
   * `charts`: `{ title, format, lines: [{ name, key, color, fill, isDashed }] }`; a color is a property of the style sheet. `now` tells
   * the instant of the right edge.
   */
  constructor(container, charts, now) {
    this.#now = now
    this.#charts = charts.map(chart => this.#build(container, chart))
    new ResizeObserver(() => this.draw()).observe(container)
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.draw())
  }

  #build(container, chart) {
    const values = chart.lines.map(line => element('b', {}, '–'))
    const legend = chart.lines.map((line, index) =>
      element('span', { class: `key key-${line.color}` }, line.name, ' ', values[index]))
    const canvas = element('canvas', { role: 'img' })
    const scale = element('span', { class: 'chart-scale' })
    container.append(element('figure', { class: 'chart' },
      element('figcaption', {}, element('span', { class: 'chart-title' }, chart.title), ...legend, scale), canvas))
    canvas.addEventListener('pointermove', event => this.#hover(event))
    canvas.addEventListener('pointerleave', () => this.#hover(null))
    return { ...chart, canvas, values, scale }
  }

  append(sample) {
    this.#series.append(sample)
    this.draw()
  }

  /** Samples of the past in place of those that are there. */
  fill(samples) {
    if (samples.length > 0) this.#series.fill(samples)
    this.draw()
  }

  get last() { return this.#series.last }

  /** How much of the past is shown, in milliseconds. */
  set span(span) {
    this.#series.span = span
    this.draw()
  }

  #hover(event) {
    const width = event?.target.clientWidth - padding.left - padding.right
    this.#hovered = event ? (event.offsetX - padding.left) / width : null
    this.draw()
  }

  draw() {
    const now = this.#now()
    const hovered = this.#hovered === null ? undefined : this.#series.nearest(this.#hovered, now)
    const shown = hovered ?? this.#series.last
    for (const chart of this.#charts) {
      chart.lines.forEach((line, index) =>
        replaceText(chart.values[index], shown ? chart.format(shown[line.key] ?? null) : '–'))
      this.#paint(chart, now, hovered)
    }
  }

  #paint({ canvas, lines, format, title, scale }, now, hovered) {
    const [width, height] = [canvas.clientWidth, canvas.clientHeight]
    if (width === 0) return
    const ratio = devicePixelRatio
    canvas.width = width * ratio
    canvas.height = height * ratio
    const context = canvas.getContext('2d')
    context.scale(ratio, ratio)
    const style = getComputedStyle(canvas)
    const highest = this.#series.highest(lines.map(line => line.key), now)
    const top = niceTop(highest)
    replaceText(scale, hovered ? time(hovered.at) : highest > 0 ? `max ${format(highest)}` : '')
    canvas.setAttribute('aria-label', `${title}: ${lines.map(line => `${line.name} ${format(this.#series.last?.[line.key] ?? null)}`).join(', ')}`)

    const inner = { width: width - padding.left - padding.right, height: height - padding.top - padding.bottom }
    const xOf = at => padding.left + this.#series.shareOf(at, now) * inner.width
    const yOf = value => padding.top + (1 - value / top) * inner.height
    context.strokeStyle = style.getPropertyValue('--grid')
    context.lineWidth = 1
    for (const share of [0, 0.5, 1]) stroke(context, [[padding.left, Math.round(yOf(top * share)) + 0.5], [width - padding.right, Math.round(yOf(top * share)) + 0.5]])
    context.save()
    context.beginPath()
    context.rect(padding.left, 0, inner.width, height)
    context.clip()
    // Lines that are zero all along would cover each other at the bottom: one is enough.
    const isFlat = ({ key }) => this.#series.highest([key], now) === 0
    for (const line of lines) if (line === lines[0] || !isFlat(line)) this.#line(context, line, style.getPropertyValue(`--${line.color}`), { now, xOf, yOf })
    context.restore()
    // Where nothing was measured there is no scale.
    writeAxes(context, { top: highest > 0 ? top : null, format, width, height, yOf, style, instants: instantsOf(this.#series.span, this.edge) })
    if (hovered) {
      context.strokeStyle = style.getPropertyValue('--muted')
      stroke(context, [[xOf(hovered.at), padding.top], [xOf(hovered.at), height - padding.bottom]])
    }
  }

  #line(context, line, color, { now, xOf, yOf }) {
    for (const part of this.#series.parts(line.key, now)) {
      const points = part.map(([at, value]) => [xOf(at), yOf(value)])
      context.strokeStyle = context.fillStyle = color
      // One sample alone would be a line without a length.
      if (points.length === 1) dot(context, ...points[0])
      context.lineWidth = 1.5
      context.lineJoin = 'round'
      // Where two lines are the same both are seen.
      context.setLineDash(line.isDashed ? [4, 4] : [])
      stroke(context, points)
      context.setLineDash([])
      if (!line.fill || points.length === 1) continue
      context.globalAlpha = 0.12
      context.fillStyle = color
      context.lineTo(points.at(-1)[0], yOf(0))
      context.lineTo(points[0][0], yOf(0))
      context.fill()
      context.globalAlpha = 1
    }
  }
}

function writeAxes(context, { top, format, width, height, yOf, style, instants }) {
  context.font = `10px ${style.fontFamily}`
  context.lineWidth = 3
  context.lineJoin = 'round'
  context.strokeStyle = style.getPropertyValue('--surface')
  context.fillStyle = style.getPropertyValue('--muted')
  const write = (text, left, bottom) => {
    context.strokeText(text, left, bottom)
    context.fillText(text, left, bottom)
  }
  for (const share of top === null ? [] : [0.5, 1]) write(format(top * share), padding.left, yOf(top * share) + 11)
  for (const [share, text] of instants) {
    const room = width - padding.left - padding.right - context.measureText(text).width
    write(text, padding.left + share * room, height - 4)
  }
  context.lineWidth = 1
}

function dot(context, x, y) {
  context.beginPath()
  context.arc(x, y, 2.5, 0, 2 * Math.PI)
  context.fill()
}

function stroke(context, points) {
  context.beginPath()
  points.forEach(([x, y], index) => index === 0 ? context.moveTo(x, y) : context.lineTo(x, y))
  context.stroke()
}
