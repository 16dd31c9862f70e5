// The devices on the map, on a canvas of their own above it: one small picture for each state and direction, whose pixels are
// copied to where the devices are. Five thousand copies by hand take a millisecond; as many calls of drawImage a frame.

const directions = 32
const size = 22
/** A mark has one of these sizes, so that few pictures are ever painted. */
const scales = [0.5, 0.6, 0.8, 1]

export class Marks {
  #canvas
  /** For what is drawn above the marks, after `end`. */
  context
  #image = null
  #pixels = null
  #colors = null
  /** By scale and state: pictures as pixels, one for each direction where the state has one. */
  #pictures = new Map()
  #ratio = 1

  constructor(canvas) {
    this.#canvas = canvas
    this.context = canvas.getContext('2d')
  }

  restyle(colors) {
    this.#colors = colors
    this.#pictures.clear()
  }

  resize(width, height, ratio) {
    this.#canvas.width = width * ratio
    this.#canvas.height = height * ratio
    this.#image = this.context.createImageData(this.#canvas.width, this.#canvas.height)
    this.#pixels = new Uint32Array(this.#image.data.buffer)
    if (ratio !== this.#ratio) this.#pictures.clear()
    this.#ratio = ratio
  }

  begin() { this.#pixels?.fill(0) }
  end() { if (this.#image) this.context.putImageData(this.#image, 0, 0) }

  /** The nearest size that leaves so many pixels to each mark. */
  scaleFor(room) { return scales.findLast(scale => scale * 26 <= room) ?? scales[0] }

  /** The pictures of a state; asked for once for many marks. */
  pictures(state, scale) {
    const key = `${state} ${scale}`
    let pictures = this.#pictures.get(key)
    if (!pictures) this.#pictures.set(key, pictures = this.#paintAll(state, scale))
    return pictures
  }

  stamp(pictures, heading, left, top) {
    const { side, count, columns, rows, pixels } = pictures[pictures.length === 1 ? 0 : direction(heading)]
    const column = Math.round(left * this.#ratio - side / 2)
    const row = Math.round(top * this.#ratio - side / 2)
    const { width, height } = this.#image
    if (column < 0 || row < 0 || column + side > width || row + side > height) return
    const target = this.#pixels
    const corner = row * width + column
    for (let index = 0; index < count; index += 1) {
      const to = corner + rows[index] * width + columns[index]
      const pixel = pixels[index]
      const below = target[to]
      target[to] = below === 0 || pixel >>> 24 === 255 ? pixel : mixed(pixel, below, pixel >>> 24)
    }
  }

  #paintAll(state, scale) {
    const paint = shape => this.#paint(shape, this.#colors.states[state], scale)
    if (!['moving', 'late'].includes(state)) return [paint(shapes[state] ?? dot)]
    return [...Array.from({ length: directions }, (_, index) => paint(context => arrow(context, index / directions * 2 * Math.PI))), paint(dot)]
  }

  #paint(shape, color, scale) {
    const side = Math.ceil(size * scale * this.#ratio)
    const canvas = new OffscreenCanvas(side, side)
    const context = canvas.getContext('2d', { willReadFrequently: true })
    context.translate(side / 2, side / 2)
    context.scale(scale * this.#ratio, scale * this.#ratio)
    context.fillStyle = color
    context.strokeStyle = this.#colors.map
    context.lineWidth = 1.5
    context.lineJoin = 'round'
    context.beginPath()
    shape(context)
    context.stroke()
    context.fill()
    return { side, ...seenPixels(new Uint32Array(context.getImageData(0, 0, side, side).data.buffer), side) }
  }
}

function direction(heading) {
  return heading === undefined || heading === null || heading < 0 ? directions : Math.round(heading / 360 * directions) % directions
}

/** A picture is mostly air: only what is seen of it is copied. */
function seenPixels(pixels, side) {
  const seen = [...pixels.keys()].filter(index => pixels[index] >>> 24 !== 0)
  return {
    count: seen.length,
    columns: Uint8Array.from(seen, index => index % side),
    rows: Uint8Array.from(seen, index => Math.floor(index / side)),
    pixels: Uint32Array.from(seen, index => pixels[index]),
  }
}

/** The upper pixel over the lower one. */
function mixed(upper, lower, alpha) {
  const channel = shift => {
    const [above, below] = [upper >>> shift & 255, lower >>> shift & 255]
    return below + ((above - below) * alpha >> 8)
  }
  return (Math.max(alpha, lower >>> 24) << 24 | channel(16) << 16 | channel(8) << 8 | channel(0)) >>> 0
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
