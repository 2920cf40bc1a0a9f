/**
 * Numbers from 0 up to 1, the same ones for the same seed: a Weyl sequence, mixed as MurmurHash3
 * finishes, since the seeds that people type lie close together.
 */
export const random = (seed: number) => {
  let at = seed | 0
  return (): number => {
    at = (at + 0x9e3779b9) | 0
    let mixed = Math.imul(at ^ (at >>> 16), 0x85ebca6b)
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32
  }
}
