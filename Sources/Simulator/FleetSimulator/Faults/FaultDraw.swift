import Base

/// What a chance of a fault is for. Draws follow from the fault's name and the device alone: taking a fault or a device
/// away changes no other.
enum FaultDraw: UInt64 {
  case selection, arrivals, absence, toxicity, request, delay, poison

  func stream(_ fault: String, seed: UInt64, device: UInt64, n: UInt64 = 0) -> RandomStream {
    // FNV-1a (https://www.rfc-editor.org/rfc/rfc9923); the upper bit keeps clear of the concerns of the world.
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in fault.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    return RandomStream(seed: seed, device: device, concern: 1 << 63 | (hash & ~0xF) | rawValue, n: n)
  }
}
