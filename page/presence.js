// Whether the page is looked at. A browser has six connections to a host for all its tabs and the pages that it remembers for the
// way back: a stream that nothing is shown of would keep one of them from the others.

let isHere = true

/** Hears `change`. */
export const presence = new EventTarget()
const tell = () => presence.dispatchEvent(new Event('change'))
document.addEventListener('visibilitychange', tell)
for (const name of ['pagehide', 'pageshow']) {
  addEventListener(name, () => {
    isHere = name === 'pageshow'
    tell()
  })
}

export const isSeen = () => isHere && !document.hidden

export function seen() {
  return new Promise(resolve => {
    const look = () => {
      if (!isSeen()) return
      presence.removeEventListener('change', look)
      resolve()
    }
    presence.addEventListener('change', look)
    look()
  })
}
