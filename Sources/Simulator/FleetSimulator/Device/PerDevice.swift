/// A state for each device of a run, by its number. Watchers touch a hundred of them with each upload: the places are taken
/// once and stay, so that a touch is neither counted nor guarded at run time.
@safe final class PerDevice<State> {
  let count: Int
  private let start: UnsafeMutableRawPointer
  private let step: Int
  /// Keeps the places.
  private let space: DeviceSpace

  /// Each is made at its place: what a run needs most of its memory for is never there twice.
  init<Failure: Error>(in space: DeviceSpace, _ make: (Int) throws(Failure) -> State) throws(Failure) {
    let (start, step) = unsafe space.take(MemoryLayout<State>.self)
    for device in 0..<space.devices {
      do throws(Failure) {
        let state = try make(device)
        unsafe (start + device * step).initializeMemory(as: State.self, to: state)
      } catch {
        for earlier in 0..<device {
          unsafe (start + earlier * step).assumingMemoryBound(to: State.self).deinitialize(count: 1)
        }
        throw error
      }
    }
    (count, self.space, self.step) = (space.devices, space, step)
    unsafe self.start = start
  }

  convenience init(_ state: State, in space: DeviceSpace) { self.init(in: space) { _ in state } }

  /// In a space of its own.
  convenience init<Failure: Error>(count: Int, _ make: (Int) throws(Failure) -> State) throws(Failure) {
    try self.init(in: DeviceSpace(devices: count, bytesEach: MemoryLayout<State>.stride), make)
  }

  deinit {
    for device in 0..<count { unsafe place(of: device).deinitialize(count: 1) }
  }

  @unsafe private func place(of device: Int) -> UnsafeMutablePointer<State> {
    precondition(device >= 0 && device < count, "devices are counted from 0")
    return unsafe (start + device * step).assumingMemoryBound(to: State.self)
  }
}

extension PerDevice: RandomAccessCollection {
  var startIndex: Int { 0 }
  var endIndex: Int { count }

  /// What changes a state does not reach for the same one by another way meanwhile.
  subscript(device: Int) -> State {
    unsafeAddress { unsafe UnsafePointer(place(of: device)) }
    unsafeMutableAddress { unsafe place(of: device) }
  }
}

/// Memory for the states of devices. The small states of one device are adjacent, whichever rule uses them: a turn among
/// thousands of devices then loads a few cache lines instead of dozens.
@safe final class DeviceSpace {
  @unsafe private struct Slab {
    let start: UnsafeMutableRawPointer
    let step: Int
    var used = 0
  }

  let devices: Int
  private let bytesEach: Int
  private var slabs: [Slab] = unsafe []

  /// Of all that Swift lays out.
  private static let alignment = 16

  /// What is taken comes from pieces of so many bytes for each device.
  init(devices: Int, bytesEach: Int = 1_024) { (self.devices, self.bytesEach) = (devices, bytesEach) }

  deinit {
    unsafe slabs.forEach { slab in unsafe slab.start.deallocate() }
  }

  /// The place of the first device, and how far it is to the next.
  @unsafe fileprivate func take<State>(_ layout: MemoryLayout<State>.Type) -> (UnsafeMutableRawPointer, step: Int) {
    let unit = layout.alignment
    if let index = unsafe slabs.indices.last {
      let offset = unsafe (slabs[index].used + unit - 1) / unit * unit
      if unsafe offset + layout.size <= slabs[index].step {
        unsafe slabs[index].used = offset + layout.size
        return unsafe (slabs[index].start + offset, slabs[index].step)
      }
    }
    let step =
      (max(bytesEach, layout.stride) + DeviceSpace.alignment - 1) / DeviceSpace.alignment * DeviceSpace.alignment
    let start = UnsafeMutableRawPointer.allocate(byteCount: max(1, devices) * step, alignment: DeviceSpace.alignment)
    unsafe slabs.append(Slab(start: start, step: step, used: layout.size))
    return unsafe (start, step)
  }
}
