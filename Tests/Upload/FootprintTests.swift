import AllocationCounter
import Contract
import JSON
import Testing
import Vocabulary

@testable import Upload

/// Ten thousand uploaders in one process.
@Suite struct FootprintTests {
  @Test func anIdleUploaderIsSmall() {
    #expect(MemoryLayout<Uploader>.size <= 168)
  }

  /// How many blocks of memory the input costs.
  private func allocations(_ input: UploadInput, _ device: inout TestDevice) -> UInt {
    var effects: [UploadEffect] = []
    // What the runtime sets up once is not the uploader's.
    device.uploader.receive(input, at: device.now, queue: &device.queue, into: &effects)
    let before = allocation_count()
    device.uploader.receive(input, at: device.now, queue: &device.queue, into: &effects)
    let after = allocation_count()
    #expect(effects.isEmpty)
    return after - before
  }

  @Test func whatSendsNothingAllocatesNothing() {
    var device = TestDevice { $0.http.autoSyncThreshold = 1_000 }
    device.fill(1)
    for trigger in FlushTrigger.allCases where trigger != .motionChange && trigger != .manual {
      #expect(allocations(.trigger(trigger), &device) == 0)
    }
    #expect(allocations(.connectivity(.cellular), &device) == 0)
    #expect(allocations(.timersDue, &device) == 0)
  }

  @Test func anEmptyQueueAllocatesNothing() {
    var device = TestDevice()
    #expect(allocations(.trigger(.heartbeat), &device) == 0)
  }

  @Test func theBodyIsReservedOnce() throws {
    var device = TestDevice {
      $0.http.batchSync = true
      $0.http.params = .object(["user": .string("somebody")])
    }
    device.fill(1_000)
    device.give(.trigger(.insert))
    let body = try #require(device.sent.first?.body)
    #expect(body.capacity < body.count + 64)
  }
}
