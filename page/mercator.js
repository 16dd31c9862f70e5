// The Web Mercator projection on the unit square: x to the east from the antimeridian, y to the south from 85.05° north.

export const latitudeMax = 85.05112878

export const x = longitude => (longitude + 180) / 360

export function y(latitude) {
  const sine = Math.sin(Math.max(-latitudeMax, Math.min(latitudeMax, latitude)) * Math.PI / 180)
  return 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)
}

export const longitude = x => x * 360 - 180
export const latitude = y => Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) * 180 / Math.PI

/** How much of the unit square a metre takes there. */
export const perMetre = latitude => 1 / (40_075_016.686 * Math.cos(latitude * Math.PI / 180))
