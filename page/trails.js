// The trails of all devices, painted beside the screen in slices of a few milliseconds. The map shows the last finished
// painting, moved to where the view is now: neither thousands of trails nor a drag across the map make a frame late.

const sliceMilliseconds = 3
const pixelsApart = 1.5

export class TrailPainting {
  #shown = document.createElement('canvas')
  #shownView = null
  #shownRevision = -1
  #next = document.createElement('canvas')
  #job = null

  /** Works for a slice. True when a new painting is finished. */
  work(fleet, view, colors, isHidden) {
    if (!this.#job) {
      if (this.#shownRevision === fleet.revision && view.equals(this.#shownView)) return false
      this.#begin(fleet, view, colors)
    } else if (!view.equals(this.#job.view)) {
      this.#begin(fleet, view, colors)
    }
    const deadline = performance.now() + sliceMilliseconds
    const { devices, context } = this.#job
    while (this.#job.index < devices.length) {
      const device = devices[this.#job.index]
      this.#job.index += 1
      if (!isHidden(device)) paint(context, device, view, colors)
      if (this.#job.index % 16 === 0 && performance.now() > deadline) return false
    }
    this.#finish()
    return true
  }

  get isBusy() { return this.#job !== null }

  forget() {
    this.#job = null
    this.#shownRevision = -1
  }

  #begin(fleet, view, colors) {
    const ratio = devicePixelRatio
    this.#next.width = view.width * ratio
    this.#next.height = view.height * ratio
    const context = this.#next.getContext('2d')
    context.scale(ratio, ratio)
    context.lineWidth = fleet.all.length > 500 ? 1 : 2
    context.lineJoin = 'round'
    context.globalAlpha = fleet.all.length > 500 ? 0.35 : 0.55
    this.#job = { devices: fleet.all, index: 0, view: view.copy(), revision: fleet.revision, context }
  }

  #finish() {
    [this.#shown, this.#next] = [this.#next, this.#shown]
    this.#shownView = this.#job.view
    this.#shownRevision = this.#job.revision
    this.#job = null
  }

  draw(context, view) {
    const painted = this.#shownView
    if (!painted) return
    const zoom = view.scale / painted.scale
    const [left, top] = view.toScreen(...painted.toWorld(0, 0))
    context.drawImage(this.#shown, left, top, painted.width * zoom, painted.height * zoom)
  }
}

function paint(context, { trail, state }, view, colors) {
  if (trail.count < 2) return
  let [lastX, lastY] = [NaN, NaN]
  let drawn = 0
  context.beginPath()
  trail.walk((x, y) => {
    const left = (x - view.x) * view.scale + view.width / 2
    const top = (y - view.y) * view.scale + view.height / 2
    if (Math.abs(left - lastX) < pixelsApart && Math.abs(top - lastY) < pixelsApart) return
    if (drawn === 0) context.moveTo(left, top)
    else context.lineTo(left, top)
    ;[lastX, lastY] = [left, top]
    drawn += 1
  })
  if (drawn < 2) return
  context.strokeStyle = colors.states[state]
  context.stroke()
}
