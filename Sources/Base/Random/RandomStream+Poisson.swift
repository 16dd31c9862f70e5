extension RandomStream {
  /// A number of events when `mean` of them are expected: exact for means from 0 to 10^9.
  package mutating func poisson(mean: Double) -> Int {
    precondition(mean >= 0 && mean <= 1e9, "the mean of a Poisson distribution is 0 to 10^9 here")
    let bits = u64()
    if mean < 10 { return RandomStream.smallPoisson(mean: mean, uniform: RandomStream.uniform(bits)) }
    var retries = retries
    return RandomStream.largePoisson(mean: mean, from: &retries)
  }

  /// Inversion: adds up probabilities until they exceed the uniform number.
  private static func smallPoisson(mean: Double, uniform: Double) -> Int {
    var count = 0
    var probability = PortableMath.exp(-mean)
    var sum = probability
    while uniform >= sum {
      count += 1
      probability *= mean / Double(count)
      let next = sum + probability
      // Beyond the last probability that a Double can add, all that is left is rounding.
      if next == sum && Double(count) > mean { break }
      sum = next
    }
    return count
  }

  /// PTRS, transformed rejection with squeeze, for means of 10 and more: W. Hörmann, "The transformed rejection method
  /// for generating Poisson random variables", Insurance: Mathematics and Economics 12 (1993).
  private static func largePoisson(mean: Double, from retries: inout RetryStream) -> Int {
    let logMean = PortableMath.log(mean)
    let b = 0.931 + 2.53 * mean.squareRoot()
    let a = -0.059 + 0.02483 * b
    let inverseAlpha = 1.1239 + 1.1328 / (b - 3.4)
    let squeeze = 0.9277 - 3.6224 / (b - 2)
    while true {
      let pair = retries.pair()
      let u = openUniform(pair.0) - 0.5
      let v = openUniform(pair.1)
      let us = 0.5 - u.magnitude
      let k = ((2 * a / us + b) * u + mean + 0.43).rounded(.down)
      if us >= 0.07 && v <= squeeze { return Int(k) }
      if k < 0 || (us < 0.013 && v > us) { continue }
      let acceptance = PortableMath.log(v * inverseAlpha / (a / (us * us) + b))
      if acceptance <= k * logMean - mean - logFactorial(k) { return Int(k) }
    }
  }

  /// ln k! for a whole k: directly while k! is exact, then by Stirling's series.
  private static func logFactorial(_ k: Double) -> Double {
    if k < 16 {
      var factorial = 1.0
      var factor = 2.0
      while factor <= k {
        factorial *= factor
        factor += 1
      }
      return PortableMath.log(factorial)
    }
    let halfLogOfTwoPi = 0.9189385332046727
    let z = 1 / (k * k)
    let series = (1.0 / 12 - z * (1.0 / 360 - z * (1.0 / 1_260 - z / 1_680))) / k
    return (k + 0.5) * PortableMath.log(k) - k + halfLogOfTwoPi + series
  }
}
