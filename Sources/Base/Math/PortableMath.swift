/// Elementary functions whose results are the same on every machine.
///
/// The functions of a C library may differ in the last bit between versions and even between processors (glibc picks
/// variants with and without fused multiply-add at run time), and one bit is enough to make a geofence fire in another
/// step and a trace hash differ. These use nothing but addition, subtraction, multiplication, division and square root,
/// which IEEE 754 defines to the bit, and Swift neither fuses nor reorders them.
///
/// All are Taylor series on an argument reduced far enough that the first term left out is below half a unit in the
/// last place. Tests hold them against the C library: within one unit in the last place.
package enum PortableMath {}
