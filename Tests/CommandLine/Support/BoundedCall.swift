import Support

/// The program as a process of its own, ended after a bound: for a call that has to be refused, and would run without end if it
/// were not.
struct BoundedCall {
  /// Of both outputs.
  let output: String
  /// 124 when it was ended (timeout(1)).
  let code: Int32

  private static let secondsMax = 20

  init(_ words: [String]) throws {
    let program = BuiltProgram.path(of: "rollingroad")
    let child = try SpokenChild(["timeout", "--kill-after=1", "\(BoundedCall.secondsMax)", program] + words)
    code = child.finish()
    output = child.output
  }
}
