/// WCAG 2.2 §1.4.3, for scripts of tests.
enum Contrast {
  /// The texts of a page whose contrast with what is behind them is below 4.5, or below 3 where they are large. What is seen
  /// through counts as what it looks like; what cannot be used now is exempt.
  static let faint = """
    (() => {
      const context = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true })
      const parts = color => {
        context.clearRect(0, 0, 1, 1)
        context.fillStyle = color
        context.fillRect(0, 0, 1, 1)
        const [red, green, blue, opacity] = context.getImageData(0, 0, 1, 1).data
        return [red, green, blue, opacity / 255]
      }
      const over = (front, back, opacity) => back.map((value, index) => front[index] * opacity + value * (1 - opacity))
      const channel = value => (value /= 255) <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
      const light = ([red, green, blue]) => 0.2126 * channel(red) + 0.7152 * channel(green) + 0.0722 * channel(blue)
      const faint = []
      for (const node of document.querySelectorAll('body *')) {
        const own = [...node.childNodes].filter(child => child.nodeType === 3).map(child => child.textContent.trim()).join('')
        const says = own || node.matches('input:not([type=range]), textarea') && (node.value || node.placeholder)
        const box = node.getBoundingClientRect()
        if (!says || box.width < 2 || box.height < 2 || !node.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue
        if (node.closest('.hidden, .skip, svg, :disabled, option')) continue
        let [behind, opacity] = [[255, 255, 255], 1]
        const chain = []
        for (let at = node; at; at = at.parentElement) chain.unshift(getComputedStyle(at))
        for (const style of chain) {
          const color = parts(style.backgroundColor)
          opacity *= Number(style.opacity)
          behind = over(color, behind, color[3] * opacity)
        }
        const style = chain.at(-1)
        const color = parts(style.color)
        const [one, other] = [light(over(color, behind, color[3] * opacity)), light(behind)].sort((a, b) => b - a)
        const contrast = (one + 0.05) / (other + 0.05)
        const size = parseFloat(style.fontSize)
        const isLarge = size >= 24 || size >= 18.66 && Number(style.fontWeight) >= 700
        if (contrast < (isLarge ? 3 : 4.5)) faint.push(`${node.localName}.${node.className} ${contrast.toFixed(2)} ${says.slice(0, 20)}`)
      }
      return [...new Set(faint)].join(' | ')
    })()
    """
}
