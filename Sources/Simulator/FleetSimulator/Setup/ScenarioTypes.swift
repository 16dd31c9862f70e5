import Scenario

// The world has types of the same names.
typealias DeclaredMotion = Motion
typealias DeclaredReceiver = GPSModel
typealias DeclaredPlan = DailyPlan
