// The names of Core Location that the SDK's documents use, with the values that Apple documents, so that code written
// against them compiles without that framework.

/// Degrees of latitude, north positive, or of longitude, east positive.
public typealias CLLocationDegrees = Double
/// Metres.
public typealias CLLocationDistance = Double
/// Metres per second; negative when unknown.
public typealias CLLocationSpeed = Double
/// Degrees clockwise from true north; negative when unknown.
public typealias CLLocationDirection = Double
/// Metres; the accuracy classes below are not positive.
public typealias CLLocationAccuracy = Double

/// The best accuracy with additional sensors, for navigation.
public let kCLLocationAccuracyBestForNavigation: CLLocationAccuracy = -2
/// The best accuracy of satellites, Wi-Fi and cells together.
public let kCLLocationAccuracyBest: CLLocationAccuracy = -1
/// Within ten metres.
public let kCLLocationAccuracyNearestTenMeters: CLLocationAccuracy = 10
/// Within a hundred metres.
public let kCLLocationAccuracyHundredMeters: CLLocationAccuracy = 100
/// Within a kilometre.
public let kCLLocationAccuracyKilometer: CLLocationAccuracy = 1_000
/// Within three kilometres.
public let kCLLocationAccuracyThreeKilometers: CLLocationAccuracy = 3_000
/// What an app gets that may not know the accurate place.
public let kCLLocationAccuracyReduced: CLLocationAccuracy = 6_378_137
/// As a distance filter: every position counts.
public let kCLDistanceFilterNone: CLLocationDistance = -1
