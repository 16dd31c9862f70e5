import Support

/// The program as a process of its own, which is ended when it goes on: for a call that is refused, and would serve or drive for ever if it
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
