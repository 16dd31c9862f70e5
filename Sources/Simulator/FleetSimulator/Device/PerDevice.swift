/// One state for each device of a run, indexed by device number. Watchers access about a hundred of them with each upload, so
/// they are allocated once at fixed addresses, and an access costs neither reference counting nor an exclusivity check.
@safe final class PerDevice<State> {
  let count: Int
  private let start: UnsafeMutableRawPointer
  private let step: Int
  /// Owns the memory.
  private let space: DeviceSpace

  /// Constructs each state in place, so that the largest allocation of a run never exists twice.
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

  /// Allocates the states in a space of their own.
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

  /// A state must not be accessed again while it is being modified.
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

  /// The maximum alignment of Swift's types.
  private static let alignment = 16

  /// Allocates in slabs of `bytesEach` bytes per device.
  init(devices: Int, bytesEach: Int = 1_024) { (self.devices, self.bytesEach) = (devices, bytesEach) }

  deinit {
    unsafe slabs.forEach { slab in unsafe slab.start.deallocate() }
  }

  /// Returns the address of the first device's state and the distance to the next.
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
