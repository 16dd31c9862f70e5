import Glibc

/// A copy of some bytes whose last byte is flush against an unreadable page, so that reading one byte too far ends the
/// process instead of passing by luck. A second unreadable page stands in front of the first readable one.
@safe
package final class GuardedBytes {
  private let mapping: UnsafeMutableRawPointer
  private let mappingLength: Int
  private let start: UnsafeMutableRawPointer
  package let count: Int

  package init(_ bytes: [UInt8]) {
    let page = sysconf(Int32(_SC_PAGESIZE))
    let readable = max(page, (bytes.count + page - 1) / page * page)
    mappingLength = readable + 2 * page
    guard
      let mapped = unsafe mmap(nil, mappingLength, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
      unsafe mapped != MAP_FAILED
    else { preconditionFailure("mmap failed with errno \(errno)") }
    unsafe mapping = mapped
    count = bytes.count
    unsafe start = mapped + page + readable - bytes.count
    unsafe start.copyMemory(from: bytes, byteCount: bytes.count)
    let front = unsafe mprotect(mapped, page, PROT_NONE)
    let back = unsafe mprotect(mapped + page + readable, page, PROT_NONE)
    precondition(front == 0 && back == 0, "mprotect failed")
  }

  deinit { unsafe munmap(mapping, mappingLength) }

  package func withSpan<Result, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let buffer = unsafe UnsafeBufferPointer(start: start.assumingMemoryBound(to: UInt8.self), count: count)
    return try body(unsafe buffer.span)
  }
}
