/// The owner of an open descriptor: exactly one value holds it, and the descriptor is closed when that value ends.
package struct FileDescriptor: ~Copyable, Sendable {
  let number: Int32

  init(owning number: Int32) {
    precondition(number >= 0, "a failed call is not a descriptor")
    self.number = number
  }

  deinit { Syscalls.close(number) }
}
