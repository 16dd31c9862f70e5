// What is looked at stands in the address, so that a link shows it, and the browser's way back leads to what was shown before.

/** What is not said has this value. */
const absent = { device: '', of: '', tab: 'device', view: 'map', dock: 'charts', show: '', hide: '', find: '', order: 'name', groups: 'none', span: '120' }
/** A change of these is a step that can be taken back. */
const steps = ['device', 'of', 'tab', 'view', 'dock']

export class Address extends EventTarget {
  #choices = this.#read()
  #clock = null

  constructor() {
    super()
    const follow = () => {
      this.#choices = this.#read()
      this.dispatchEvent(new Event('change'))
    }
    addEventListener('popstate', follow)
    addEventListener('hashchange', follow)
  }

  #read() {
    const said = Object.fromEntries(new URLSearchParams(location.hash.slice(1)))
    return { ...absent, ...said }
  }

  get(name) { return this.#choices[name] ?? '' }

  /** Those whose names begin with a word, without it. */
  under(prefix) {
    return Object.fromEntries(Object.entries(this.#choices).filter(([name]) => name.startsWith(prefix)).map(([name, value]) => [name.slice(prefix.length), value]))
  }

  /** `isStep` false: what was shown before is not gone back to. */
  set(changes, { isStep = true } = {}) {
    const before = this.#choices
    this.#choices = { ...before, ...changes }
    const isNew = steps.some(name => before[name] !== this.#choices[name])
    const fragment = this.#text()
    if (fragment === location.hash.slice(1)) return
    const url = fragment === '' ? location.pathname + location.search : `#${fragment}`
    if (isNew && isStep) return history.pushState(null, '', url)
    // Browsers let a page change its address some times a second: what is typed is written when it rests.
    clearTimeout(this.#clock)
    this.#clock = setTimeout(() => history.replaceState(null, '', this.#url()), 200)
  }

  /** In place of all that begins with a word. */
  setUnder(prefix, choices) {
    for (const name of Object.keys(this.#choices)) if (name.startsWith(prefix)) delete this.#choices[name]
    this.set(Object.fromEntries(Object.entries(choices).map(([name, value]) => [prefix + name, value])), { isStep: false })
  }

  #url() {
    const fragment = this.#text()
    return fragment === '' ? location.pathname + location.search : `#${fragment}`
  }

  #text() {
    const said = Object.entries(this.#choices).filter(([name, value]) => value !== (absent[name] ?? '') || name === 'of' && this.#choices.device !== '' && value !== '')
    return new URLSearchParams(said).toString()
  }
}
