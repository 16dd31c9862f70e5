import Base
import Glibc
import Support
import Testing

@Suite struct PortableMathTests {
  /// At most one unit in the last place away from the C library's answer.
  private func agree(_ own: Double, _ library: Double) -> Bool {
    own == library || (own - library).magnitude <= library.ulp
  }

  private func logarithmic(_ generator: inout SeededGenerator, from low: Double, to high: Double) -> Double {
    Glibc.exp2(Double.random(in: low...high, using: &generator))
  }

  @Test func theLogarithmIsTheLibrarys() {
    var generator = SeededGenerator(seed: 1)
    for _ in 0..<50_000 {
      let wide = logarithmic(&generator, from: -1_070, to: 1_023)
      #expect(agree(PortableMath.log(wide), Glibc.log(wide)), "\(wide)")
      let nearOne = 1 + (generator.chance(0.5) ? 1 : -1) * logarithmic(&generator, from: -52, to: -1)
      #expect(agree(PortableMath.log(nearOne), Glibc.log(nearOne)), "\(nearOne)")
    }
    for number in [1, 0x1p-1074, Double.leastNormalMagnitude, Double.greatestFiniteMagnitude, 2.0.squareRoot(), 0.5] {
      #expect(agree(PortableMath.log(number), Glibc.log(number)), "\(number)")
    }
    #expect(PortableMath.log(1) == 0)
  }

  @Test func theExponentialIsTheLibrarys() {
    var generator = SeededGenerator(seed: 2)
    for _ in 0..<50_000 {
      let number = Double.random(in: -708...709.7, using: &generator)
      #expect(agree(PortableMath.exp(number), Glibc.exp(number)), "\(number)")
      let small = Double.random(in: -1...1, using: &generator)
      #expect(agree(PortableMath.exp(small), Glibc.exp(small)), "\(small)")
    }
    for number in [0, -0.0, 1e-300, 709.78, 709.79, 711, 1e300, -740, -745.1, -745.2, -747, -1e300] {
      #expect(agree(PortableMath.exp(number), Glibc.exp(number)), "\(number)")
    }
  }

  @Test func sineAndCosineAreTheLibrarys() {
    var generator = SeededGenerator(seed: 3)
    for _ in 0..<50_000 {
      let degrees = Double.random(in: -45...45, using: &generator)
      let own = PortableMath.sineAndCosine(degrees: degrees)
      let radians = degrees * PortableMath.radiansPerDegree
      #expect(agree(own.sine, Glibc.sin(radians)), "\(degrees)")
      #expect(agree(own.cosine, Glibc.cos(radians)), "\(degrees)")
      // Beyond the first eighth the library has to cope with a rounded argument, so compare through whole turns.
      let turns = Double(generator.index(below: 2_001) - 1_000) * 90
      let turned = PortableMath.sineAndCosine(degrees: degrees + turns)
      let moved = degrees + turns - turns
      let expected = PortableMath.sineAndCosine(degrees: moved)
      switch Int(turns / 90) & 3 {
      case 0: #expect(turned == expected, "\(degrees) \(turns)")
      case 1: #expect(turned == (expected.cosine, -expected.sine), "\(degrees) \(turns)")
      case 2: #expect(turned == (-expected.sine, -expected.cosine), "\(degrees) \(turns)")
      default: #expect(turned == (-expected.cosine, expected.sine), "\(degrees) \(turns)")
      }
    }
  }

  @Test func sineAndCosineAreExactOnTheAxes() {
    for turn in -3...3 {
      let full = Double(turn) * 360
      #expect(PortableMath.sineAndCosine(degrees: full) == (0, 1))
      #expect(PortableMath.sineAndCosine(degrees: full + 90) == (1, 0))
      #expect(PortableMath.sineAndCosine(degrees: full + 180) == (0, -1))
      #expect(PortableMath.sineAndCosine(degrees: full + 270) == (-1, 0))
    }
  }

  @Test func theArcTangentIsTheLibrarysInAllQuadrants() {
    var generator = SeededGenerator(seed: 4)
    for _ in 0..<50_000 {
      let y = (generator.chance(0.5) ? 1 : -1) * logarithmic(&generator, from: -60, to: 20)
      let x = (generator.chance(0.5) ? 1 : -1) * logarithmic(&generator, from: -60, to: 20)
      #expect(agree(PortableMath.arcTangent(y: y, x: x), Glibc.atan2(y, x)), "\(y) \(x)")
    }
    for (y, x) in [(0.0, 1.0), (1, 0), (-1, 0), (1, 1), (-1, 1), (0, -1), (1, 8), (3, -8)] {
      #expect(agree(PortableMath.arcTangent(y: y, x: x), Glibc.atan2(y, x)), "\(y) \(x)")
    }
    #expect(PortableMath.arcTangent(y: 0, x: 0) == 0)
  }
}
