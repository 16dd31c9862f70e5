// Where a device has been: the last places, in a ring.

const capacity = 48

export class Trail {
  xs = new Float64Array(capacity)
  ys = new Float64Array(capacity)
  times = new Float64Array(capacity)
  count = 0
  next = 0
  /** Places at which a geofence was crossed. */
  crossings = []

  get last() { return (this.next + capacity - 1) % capacity }

  append(x, y, time) {
    if (this.count > 0 && time <= this.times[this.last]) return
    this.xs[this.next] = x
    this.ys[this.next] = y
    this.times[this.next] = time
    this.next = (this.next + 1) % capacity
    this.count = Math.min(capacity, this.count + 1)
  }

  cross(x, y) {
    this.crossings.push({ x, y })
    if (this.crossings.length > 8) this.crossings.shift()
  }

  /** Calls `visit(x, y)` for each place, the oldest first. */
  walk(visit) {
    const start = (this.next - this.count + capacity) % capacity
    for (let step = 0; step < this.count; step += 1) {
      const index = (start + step) % capacity
      visit(this.xs[index], this.ys[index])
    }
  }
}
