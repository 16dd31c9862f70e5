extension Command {
  static let version = Command(
    name: "version",
    summary: "print the version and exit",
    operands: "",
    operandCount: 0...0,
    flags: [],
    details: "Prints \"rollingroad\" and the version on one line. 'rollingroad --version' does the same.",
    run: { (invocation) throws(UsageError) in
      invocation.process.writeOutput("rollingroad \(Product.version)")
      return .ok
    })
}
