import Oracle
import Testing

@testable import FleetSimulator

@Suite struct PerDeviceTests {
  /// Counts how many there are.
  private final class Ghost {
    private let book: Book
    let number: Int

    init(_ number: Int, in book: Book) {
      (self.number, self.book) = (number, book)
      book.alive += 1
    }

    deinit { book.alive -= 1 }
  }

  private final class Book { var alive = 0 }
  private struct Failure: Error {}

  @Test func statesOfOneSpaceKeepApart() {
    let space = DeviceSpace(devices: 7, bytesEach: 24)
    let bytes = PerDevice(UInt8(1), in: space)
    let words = PerDevice(in: space) { UInt64($0) }
    let wide = PerDevice((0, 0, 0, 0, 0), in: space)
    for device in 0..<7 {
      bytes[device] += UInt8(device)
      words[device] *= 3
      wide[device].4 = device
    }
    #expect(Array(bytes) == [1, 2, 3, 4, 5, 6, 7])
    #expect(Array(words) == [0, 3, 6, 9, 12, 15, 18])
    #expect(wide.map(\.4) == Array(0..<7) && wide.allSatisfy { $0.0 == 0 })
  }

  @Test func statesEndWithTheirTable() {
    let book = Book()
    do {
      let table = PerDevice(in: DeviceSpace(devices: 3)) { Ghost($0, in: book) }
      #expect(book.alive == 3 && table.map(\.number) == [0, 1, 2])
      table[1] = Ghost(9, in: book)
      #expect(book.alive == 3 && table[1].number == 9)
    }
    #expect(book.alive == 0)
  }

  @Test func aStateThatCannotBeMadeTakesTheOthersAlong() {
    let book = Book()
    #expect(throws: Failure.self) {
      try PerDevice(count: 5) { (device) throws(Failure) in
        if device == 3 { throw Failure() }
        return Ghost(device, in: book)
      }
    }
    #expect(book.alive == 0)
  }

  @Test func aDeviceThatIsNotThereEndsTheProcess() async {
    await #expect(processExitsWith: .failure) {
      let table = PerDevice(0, in: DeviceSpace(devices: 2))
      table[2] = 1
    }
  }
}
