/** The value that is written for an entry: its number, and filling that shows a value cut or mixed. */
export const encode = (n: number, size: number): string =>
  size === 0 ? `${n}` : `${n}:${filling(n).repeat(size)}`

const filling = (n: number): string => "abcdefghijklmnopqrstuvwxyz".charAt(n % 26)

/** The number of a value; `null` where it is not one that was written. */
export const decode = (value: string): number | null => {
  const [, digits] = /^(\d+)(?::|$)/.exec(value) ?? []
  return digits === undefined ? null : Number(digits)
}
