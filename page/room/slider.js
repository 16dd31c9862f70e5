// Any instant of a run in virtual time: a slider over what has been recorded so far.

import { byID, replaceText } from '../dom.js'
import { get } from './link.js'
import { runTime } from './panels.js'

export class Slider extends EventTarget {
  /** The instant that is shown, in seconds of the run; null for now. */
  instant = null
  #input = byID('slider')
  #live = byID('slider-live')
  #isLoading = false

  constructor() {
    super()
    this.#input.addEventListener('input', () => this.go(Number(this.#input.value)))
    this.#live.addEventListener('click', () => this.go(null))
  }

  /** How far the recording reaches. */
  update(seconds, isRecorded) {
    byID('slider-bar').hidden = !isRecorded
    document.body.classList.toggle('has-slider', isRecorded)
    const last = Math.floor(seconds)
    if (Number(this.#input.max) !== last) this.#input.max = last
    this.#input.step = Math.max(1, 10 ** Math.floor(Math.log10(Math.max(1, last / 1_000))))
    // An instant that the address names is there before the slider reaches so far.
    this.#input.value = this.instant ?? last
    if (this.instant === null) replaceText(byID('slider-says'), runTime(seconds))
  }

  step(seconds) { this.go(Math.max(0, Math.min(Number(this.#input.max), (this.instant ?? Number(this.#input.max)) + seconds))) }

  go(instant) {
    this.instant = instant
    this.#live.setAttribute('aria-pressed', instant === null)
    if (instant !== null) this.#input.value = instant
    replaceText(byID('slider-says'), runTime(instant ?? Number(this.#input.max)))
    this.#input.setAttribute('aria-valuetext', byID('slider-says').textContent)
    this.dispatchEvent(new Event('instant'))
    this.#load()
  }

  /** One question at a time; what was asked for meanwhile comes next. */
  async #load() {
    if (this.#isLoading || this.instant === null) return
    this.#isLoading = true
    const instant = this.instant
    const phones = await get(`at?instant=${instant}`).catch(error => error)
    this.#isLoading = false
    if (instant !== this.instant) return this.#load()
    this.dispatchEvent(new CustomEvent(phones instanceof Error ? 'problem' : 'phones', { detail: phones }))
  }
}
