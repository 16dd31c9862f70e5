// Lines from phones to where the server believes them, painted beside the screen in slices of a few milliseconds. The map
// shows the last finished painting, moved to where the view is now: ten thousand lines make no frame late.

const sliceMilliseconds = 3
/** Closer together on the screen, the two places of a phone are one. */
const apart = 4

export class BehindPainting {
  #shown = document.createElement('canvas')
  #shownView = null
  #shownRevision = -1
  #next = document.createElement('canvas')
  #job = null

  /** Works for a slice; true while there is more to do. */
  work(phones, view, colors) {
    if (this.#job === null) {
      if (this.#shownRevision === phones.revision && view.equals(this.#shownView)) return false
      this.#begin(phones, view, colors)
    } else if (!view.equals(this.#job.view)) {
      this.#begin(phones, view, colors)
    }
    const deadline = performance.now() + sliceMilliseconds
    while (this.#job.index < phones.count) {
      this.#paint(phones, Math.min(phones.count, this.#job.index + 128))
      if (performance.now() > deadline) return true
    }
    ;[this.#shown, this.#next] = [this.#next, this.#shown]
    this.#shownView = this.#job.view
    this.#shownRevision = this.#job.revision
    this.#job = null
    return false
  }

  forget() {
    this.#job = null
    this.#shownRevision = -1
  }

  draw(context, view) {
    const painted = this.#shownView
    if (painted === null) return
    const zoom = view.scale / painted.scale
    context.drawImage(this.#shown, ...view.toScreen(...painted.toWorld(0, 0)), painted.width * zoom, painted.height * zoom)
  }

  #begin(phones, view, colors) {
    const ratio = devicePixelRatio
    this.#next.width = view.width * ratio
    this.#next.height = view.height * ratio
    const context = this.#next.getContext('2d')
    const isCrowded = phones.count > 500
    context.scale(ratio, ratio)
    context.lineWidth = isCrowded ? 1 : 1.5
    context.globalAlpha = isCrowded ? 0.5 : 0.85
    context.strokeStyle = colors.accent
    context.fillStyle = colors.map
    this.#job = { index: 0, view: view.copy(), revision: phones.revision, context, reach: isCrowded ? 1.5 : 3 }
  }

  #paint({ x, y, knownX, knownY }, end) {
    const { context, view, reach } = this.#job
    const [middleX, middleY] = [view.width / 2, view.height / 2]
    const squares = []
    context.beginPath()
    for (let index = this.#job.index; index < end; index += 1) {
      const left = (x[index] - view.x) * view.scale + middleX
      const top = (y[index] - view.y) * view.scale + middleY
      const knownLeft = (knownX[index] - view.x) * view.scale + middleX
      const knownTop = (knownY[index] - view.y) * view.scale + middleY
      // Also where one of them is not known.
      if (!(Math.abs(left - knownLeft) > apart || Math.abs(top - knownTop) > apart)) continue
      if (Math.max(left, knownLeft) < 0 || Math.min(left, knownLeft) > view.width || Math.max(top, knownTop) < 0 || Math.min(top, knownTop) > view.height) continue
      context.moveTo(left, top)
      context.lineTo(knownLeft, knownTop)
      squares.push(knownLeft, knownTop)
    }
    context.stroke()
    for (let place = 0; place < squares.length; place += 2) {
      context.fillRect(squares[place] - reach, squares[place + 1] - reach, 2 * reach, 2 * reach)
      context.strokeRect(squares[place] - reach, squares[place + 1] - reach, 2 * reach, 2 * reach)
    }
    this.#job.index = end
  }
}
