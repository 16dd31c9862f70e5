// swift-tools-version:6.1
import PackageDescription

// `loadtest/kits/run` copies the kit beside the tests.
let package = Package(name: "kit", targets: [.testTarget(name: "KitTests", path: "Tests")])
