import Base
import Testing

@Suite struct RandomStreamTests {
  private func uniforms(_ count: Int, _ word: (UInt64) -> UInt64) -> [Double] {
    (0..<UInt64(count)).map { Double(word($0) >> 11) * 0x1p-53 }
  }

  @Test func philoxGivesThePublishedAnswers() {
    // Random123, tests/kat_vectors, philox4x64 with 10 rounds.
    let ones = UInt64.max
    #expect(
      Philox.block(counter: (0, 0, 0, 0), key: (0, 0))
        == (0x1655_4d9e_ca36_314c, 0xdb20_fe9d_672d_0fdc, 0xd7e7_72ce_e186_176b, 0x7e68_b68a_ec7b_a23b))
    #expect(
      Philox.block(counter: (ones, ones, ones, ones), key: (ones, ones))
        == (0x87b0_92c3_013f_e90b, 0x438c_3c67_be8d_0224, 0x9cc7_d7c6_9cd7_77b6, 0xa09c_aebf_594f_0ba0))
    #expect(
      Philox.block(
        counter: (0x243f_6a88_85a3_08d3, 0x1319_8a2e_0370_7344, 0xa409_3822_299f_31d0, 0x082e_fa98_ec4e_6c89),
        key: (0x4528_21e6_38d0_1377, 0xbe54_66cf_34e9_0c6c))
        == (0xa528_f454_03e6_1d95, 0x38c7_2dbd_566e_9788, 0xa5a1_610e_72fd_18b5, 0x57bd_43b5_e52b_7fe6))
  }

  private func word(_ seed: UInt64, _ device: UInt64, _ concern: UInt64, _ n: UInt64) -> UInt64 {
    var stream = RandomStream(seed: seed, device: device, concern: concern, n: n)
    return stream.u64()
  }

  @Test func aNumberIsAWordOfThePhiloxBlockOfItsCoordinates() {
    // Calculated with NumPy's Philox: counter (n / 4, concern, device, 0), key (seed, 0), word n mod 4.
    #expect(word(1, 2, 3, 4) == 0xef09_df5b_3442_a5d7)
    #expect(word(42, 9_999, 7, 123_456_789) == 0x86bc_c6a6_05c5_09f4)
    #expect(word(.max, 1 << 63, 17, (1 << 40) + 3) == 0xc7b5_0968_e88c_1a8a)
  }

  @Test func walkingAStreamMeetsTheNumbersOfThePureFunctionFromAnyStart() {
    for start in 0..<9 as Range<UInt64> {
      var stream = RandomStream(seed: 5, device: 6, concern: 7, n: start)
      for n in start..<(start + 40) {
        #expect(stream.n == n)
        #expect(stream.u64() == word(5, 6, 7, n))
      }
    }
  }

  @Test func everyDrawIsOneStepWhateverItCameTo() {
    var stream = RandomStream(seed: 1, device: 1, concern: 1)
    var expected: UInt64 = 0
    for round in 0..<300 {
      _ = stream.uniform()
      _ = stream.integer(below: 3 << 62)
      _ = stream.index(below: 7)
      _ = stream.chance(0.5)
      _ = stream.normal()
      _ = stream.exponential(mean: 2)
      _ = stream.logNormal(median: 2, sigma: 1)
      expected += 7
      #expect(stream.n == expected, "round \(round)")
    }
  }

  @Test func everyBitOfTheCoordinatesMovesHalfOfTheBits() {
    for bit in 0..<256 {
      var changes = 0
      for base in 0..<200 as Range<UInt64> {
        var coordinates = [base, base &* 977, base &* 31, base &* 7]
        let before = word(coordinates)
        coordinates[bit / 64] ^= 1 << UInt64(bit % 64)
        changes += (before ^ word(coordinates)).nonzeroBitCount
      }
      // 12,800 bits, half of them expected to change; five standard deviations, for there are 256 such tests.
      #expect((6_400 - 283...6_400 + 283).contains(changes), "bit \(bit): \(changes)")
    }
  }

  private func word(_ coordinates: [UInt64]) -> UInt64 {
    word(coordinates[0], coordinates[1], coordinates[2], coordinates[3])
  }

  @Test(arguments: 0..<4)
  func everyByteIsEquallyOftenEveryValueAlongEachCoordinate(coordinate: Int) {
    for shift in [0, 24, 56] as [UInt64] {
      var counts = Array(repeating: 0, count: 256)
      for step in 0..<25_600 as Range<UInt64> {
        var coordinates: [UInt64] = [11, 12, 13, 14]
        coordinates[coordinate] = step
        counts[Int(word(coordinates) >> shift & 0xFF)] += 1
      }
      let chiSquare = Statistics.chiSquare(counts, expected: Array(repeating: 100, count: 256))
      #expect(chiSquare < Statistics.chiSquareLimit(degreesOfFreedom: 255), "shift \(shift)")
    }
  }

  @Test(arguments: 0..<4, 0..<4)
  func neighboursAreNotCorrelated(walked: Int, neighbour: Int) {
    func series(offset: UInt64) -> [Double] {
      uniforms(10_000) { step in
        var coordinates: [UInt64] = [21, 22, 23, 24]
        coordinates[walked] &+= step &* 2
        coordinates[neighbour] &+= offset
        return word(coordinates)
      }
    }
    let correlation = Statistics.correlation(series(offset: 0), series(offset: 1))
    // The standard deviation is 1/√n; four of them, for there are sixteen such tests.
    #expect(abs(correlation) < 4 / 100.0, "\(correlation)")
  }

  @Test func theSideStreamIsNotTheStream() {
    // A quarter of the first draws is rejected. Without a key of its own the side stream of step 0 would be the stream:
    // its first number is the rejected one, and its second is the number of step 4.
    for device in 0..<400 as Range<UInt64> {
      var stream = RandomStream(seed: 9, device: device, concern: 9)
      let numbers = (0..<5).map { _ in stream.integer(below: 3 << 62) }
      #expect(numbers[0] != numbers[4], "device \(device)")
    }
  }
}
