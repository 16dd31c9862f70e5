/// One state for each device of a run, indexed by device number. Watchers access about a hundred of them with each upload, so
/// they are allocated once at fixed addresses, and an access costs neither reference counting nor an exclusivity check. Bodies
/// are inlinable, because a call for each access would cost more than the access.
@safe @usableFromInline package final class PerDevice<State> {
  @usableFromInline package let count: Int
  @usableFromInline let start: UnsafeMutableRawPointer
  @usableFromInline let step: Int
  /// Owns the memory.
  @usableFromInline let space: DeviceSpace

  /// Constructs each state in place, so that the largest allocation of a run never exists twice.
  @inlinable package init<Failure: Error>(
    in space: DeviceSpace, _ make: (Int) throws(Failure) -> State
  ) throws(Failure) {
    let (start, step) = unsafe space.take(
      size: MemoryLayout<State>.size, stride: MemoryLayout<State>.stride, alignment: MemoryLayout<State>.alignment)
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

  @inlinable package convenience init(_ state: State, in space: DeviceSpace) { self.init(in: space) { _ in state } }

  /// Allocates the states in a space of their own.
  @inlinable package convenience init<Failure: Error>(
    count: Int, _ make: (Int) throws(Failure) -> State
  ) throws(Failure) {
    try self.init(in: DeviceSpace(devices: count, bytesEach: MemoryLayout<State>.stride), make)
  }

  @inlinable deinit {
    for device in 0..<count { unsafe place(of: device).deinitialize(count: 1) }
  }

  @unsafe @inlinable func place(of device: Int) -> UnsafeMutablePointer<State> {
    precondition(device >= 0 && device < count, "devices are counted from 0")
    return unsafe (start + device * step).assumingMemoryBound(to: State.self)
  }
}

extension PerDevice: RandomAccessCollection {
  @inlinable package var startIndex: Int { 0 }
  @inlinable package var endIndex: Int { count }

  /// A state must not be accessed again while it is being modified.
  @inlinable package subscript(device: Int) -> State {
    unsafeAddress { unsafe UnsafePointer(place(of: device)) }
    unsafeMutableAddress { unsafe place(of: device) }
  }
}

/// Memory for the states of devices. The small states of one device are adjacent, whichever rule uses them: a turn among
/// thousands of devices then loads a few cache lines instead of dozens.
@safe @usableFromInline package final class DeviceSpace {
  @unsafe private struct Slab {
    let start: UnsafeMutableRawPointer
    let step: Int
    var used = 0
  }

  @usableFromInline package let devices: Int
  private let bytesEach: Int
  private var slabs: [Slab] = unsafe []

  /// The maximum alignment of Swift's types.
  private static let alignment = 16

  /// Allocates in slabs of `bytesEach` bytes per device.
  @usableFromInline package init(devices: Int, bytesEach: Int = 1_024) {
    (self.devices, self.bytesEach) = (devices, bytesEach)
  }

  deinit {
    unsafe slabs.forEach { slab in unsafe slab.start.deallocate() }
  }

  /// Returns the address of the first device's state and the distance to the next.
  @unsafe @usableFromInline func take(
    size: Int, stride: Int, alignment unit: Int
  ) -> (UnsafeMutableRawPointer, step: Int) {
    if let index = unsafe slabs.indices.last {
      let offset = unsafe (slabs[index].used + unit - 1) / unit * unit
      if unsafe offset + size <= slabs[index].step {
        unsafe slabs[index].used = offset + size
        return unsafe (slabs[index].start + offset, slabs[index].step)
      }
    }
    let step = (max(bytesEach, stride) + DeviceSpace.alignment - 1) / DeviceSpace.alignment * DeviceSpace.alignment
    let start = UnsafeMutableRawPointer.allocate(byteCount: max(1, devices) * step, alignment: DeviceSpace.alignment)
    unsafe slabs.append(Slab(start: start, step: step, used: size))
    return unsafe (start, step)
  }
}
