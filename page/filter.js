// Which devices are shown, on the map as in the list: by run, by state, and by what was typed.

export class Filter extends EventTarget {
  /** States that are not shown. */
  hidden = new Set()
  #words = []
  #text = ''
  #run = null

  /** The only run that is shown; null for all, empty for what belongs to none. */
  get run() { return this.#run }

  set run(run) {
    if (run === this.#run) return
    this.#run = run
    this.#changed()
  }

  get text() { return this.#text }

  /** Each word has to be in the name, the run or a tag. */
  set text(text) {
    if (text === this.#text) return
    this.#text = text
    this.#words = text.toLowerCase().split(/\s+/).filter(word => word !== '')
    this.#changed()
  }

  get isOpen() { return this.hidden.size === 0 && this.#words.length === 0 && this.#run === null }

  shows(device) { return !this.hidden.has(device.state) && this.names(device) }

  names({ words, run }) { return (this.#run === null || run === this.#run) && this.#words.every(word => words.includes(word)) }

  toggle(state) {
    if (!this.hidden.delete(state)) this.hidden.add(state)
    this.#changed()
  }

  /** Only this state; all of them when it was the only one. */
  only(state, all) {
    const isAlone = !this.hidden.has(state) && this.hidden.size === all.length - 1
    this.hide(isAlone ? [] : all.filter(other => other !== state))
  }

  hide(states) {
    if (states.length === this.hidden.size && states.every(state => this.hidden.has(state))) return
    this.hidden = new Set(states)
    this.#changed()
  }

  clear() {
    this.hidden.clear()
    this.#words = []
    this.#text = ''
    this.#run = null
    this.#changed()
  }

  #changed() { this.dispatchEvent(new Event('change')) }
}
