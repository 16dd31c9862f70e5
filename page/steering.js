// Mouse, touch and keys on the map.

export function steer(canvas, map) {
  const fingers = new Map()
  let travelled = 0

  const place = event => [event.offsetX, event.offsetY]

  canvas.addEventListener('pointerdown', event => {
    canvas.setPointerCapture(event.pointerId)
    fingers.set(event.pointerId, place(event))
    if (fingers.size === 1) travelled = 0
  })

  canvas.addEventListener('pointermove', event => {
    const before = fingers.get(event.pointerId)
    if (!before) {
      map.hover(map.deviceAt(...place(event)))
      return
    }
    const after = place(event)
    travelled += Math.hypot(after[0] - before[0], after[1] - before[1])
    if (fingers.size === 1 && travelled < 4) return
    map.isFollowing = false
    if (fingers.size === 2) pinch(map.view, event.pointerId, after)
    else map.view.pan(after[0] - before[0], after[1] - before[1])
    fingers.set(event.pointerId, after)
    map.moved()
  })

  /** Two fingers: the point between them moves the map, the distance between them zooms it. */
  function pinch(view, moving, after) {
    const before = fingers.get(moving)
    const [, still] = [...fingers].find(([id]) => id !== moving)
    const span = point => Math.max(10, Math.hypot(point[0] - still[0], point[1] - still[1]))
    view.pan((after[0] - before[0]) / 2, (after[1] - before[1]) / 2)
    view.zoom(span(after) / span(before), (after[0] + still[0]) / 2, (after[1] + still[1]) / 2)
  }

  function lift(event) {
    const wasClick = fingers.size === 1 && travelled < 4 && event.type === 'pointerup'
    fingers.delete(event.pointerId)
    if (wasClick) map.clicked(...place(event), event.pointerType === 'touch' ? 22 : 14)
  }
  canvas.addEventListener('pointerup', lift)
  canvas.addEventListener('pointercancel', lift)
  canvas.addEventListener('pointerleave', () => map.hover(null))

  canvas.addEventListener('wheel', event => {
    event.preventDefault()
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1
    map.view.zoom(Math.exp(-event.deltaY * lines * 0.0018), ...place(event))
    map.moved()
  }, { passive: false })

  const keys = {
    ArrowLeft: view => view.pan(60, 0), ArrowRight: view => view.pan(-60, 0),
    ArrowUp: view => view.pan(0, 60), ArrowDown: view => view.pan(0, -60),
    '+': view => view.zoom(1.5), '=': view => view.zoom(1.5), '-': view => view.zoom(1 / 1.5),
  }
  canvas.addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key === '0') map.fit()
    else if (event.key === 'Escape') map.choose(null)
    else if (keys[event.key]) {
      keys[event.key](map.view)
      map.isFollowing &&= !event.key.startsWith('Arrow')
      map.moved()
    } else return
    event.preventDefault()
  })
}
