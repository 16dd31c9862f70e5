// The devices on the map: one small picture for each state and direction, painted once and stamped thousands of times.

const directions = 32
const size = 22

export class Marks {
  #pictures = new Map()
  #ratio = 1

  constructor(colors) {
    this.#ratio = devicePixelRatio
    for (const [state, color] of Object.entries(colors.states)) {
      const isArrow = state === 'moving' || state === 'late'
      const pictures = isArrow
        ? Array.from({ length: directions + 1 }, (_, index) =>
          this.#picture(context => index === directions ? dot(context) : arrow(context, index / directions * 2 * Math.PI), color, colors.map))
        : [this.#picture(shapes[state] ?? dot, color, colors.map)]
      this.#pictures.set(state, pictures)
    }
  }

  #picture(shape, color, edge) {
    const canvas = document.createElement('canvas')
    canvas.width = canvas.height = size * this.#ratio
    const context = canvas.getContext('2d')
    context.scale(this.#ratio, this.#ratio)
    context.translate(size / 2, size / 2)
    context.fillStyle = color
    context.strokeStyle = edge
    context.lineWidth = 1.5
    context.lineJoin = 'round'
    context.beginPath()
    shape(context)
    context.stroke()
    context.fill()
    return canvas
  }

  stamp(context, state, heading, left, top, scale) {
    const pictures = this.#pictures.get(state)
    const knowsHeading = heading !== undefined && heading !== null && heading >= 0
    const index = pictures.length === 1 ? 0 : knowsHeading ? Math.round(heading / 360 * directions) % directions : directions
    const side = size * scale
    context.drawImage(pictures[index], left - side / 2, top - side / 2, side, side)
  }
}

function dot(context) { context.arc(0, 0, 5, 0, 2 * Math.PI) }

function arrow(context, angle) {
  const corners = [[0, -8], [5.5, 6], [0, 3], [-5.5, 6]]
  corners.forEach(([x, y], index) => {
    const turned = [x * Math.cos(angle) - y * Math.sin(angle), x * Math.sin(angle) + y * Math.cos(angle)]
    if (index === 0) context.moveTo(...turned)
    else context.lineTo(...turned)
  })
  context.closePath()
}

const shapes = {
  refused(context) {
    context.moveTo(0, -7)
    context.lineTo(7, 0)
    context.lineTo(0, 7)
    context.lineTo(-7, 0)
    context.closePath()
  },
  failing(context) {
    context.moveTo(0, -7)
    context.lineTo(7, 6)
    context.lineTo(-7, 6)
    context.closePath()
  },
  silent(context) {
    context.arc(0, 0, 5, 0, 2 * Math.PI)
    context.arc(0, 0, 2.4, 0, 2 * Math.PI, true)
  },
}
