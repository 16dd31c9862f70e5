// Where devices fail: a glow that is the stronger the more of them fail there, and the oftener.

const reach = 34
const pictures = new Map()

/** One glow as a picture, painted once for each colour. */
function glow(color) {
  let picture = pictures.get(color)
  if (picture) return picture
  picture = new OffscreenCanvas(2 * reach, 2 * reach)
  const context = picture.getContext('2d')
  const gradient = context.createRadialGradient(reach, reach, 0, reach, reach, reach)
  gradient.addColorStop(0, 'rgb(0 0 0 / 1)')
  gradient.addColorStop(1, 'rgb(0 0 0 / 0)')
  context.fillStyle = gradient
  context.fillRect(0, 0, 2 * reach, 2 * reach)
  // The colour, as strong as the black was.
  context.globalCompositeOperation = 'source-in'
  context.fillStyle = color
  context.fillRect(0, 0, 2 * reach, 2 * reach)
  pictures.set(color, picture)
  return picture
}

/** Devices in the same cell of the screen are drawn as one. */
export function drawHeat(context, view, devices, isHidden, color) {
  const cells = new Map()
  for (const device of devices) {
    if (device.failed === 0 || device.x === null || isHidden(device)) continue
    const [left, top] = view.toScreen(device.x, device.y)
    if (left < -reach || top < -reach || left > view.width + reach || top > view.height + reach) continue
    const key = `${Math.round(left / 12)} ${Math.round(top / 12)}`
    const cell = cells.get(key)
    if (cell) cell.failed += device.failed
    else cells.set(key, { left, top, failed: device.failed })
  }
  const picture = glow(color)
  const most = Math.max(1, ...[...cells.values()].map(({ failed }) => failed))
  for (const { left, top, failed } of cells.values()) {
    context.globalAlpha = 0.25 + 0.6 * Math.log1p(failed) / Math.log1p(most)
    context.drawImage(picture, left - reach, top - reach)
  }
  context.globalAlpha = 1
}
