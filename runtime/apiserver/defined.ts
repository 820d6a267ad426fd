/** The same settings without those that are undefined. */
export type Defined<T> = { readonly [P in keyof T]?: NonNullable<T[P]> }

/** Only the settings that are set, so that the default of the others stays with what reads them. */
export function defined<T extends object>(settings: T): Defined<T> {
  const set = Object.entries(settings).filter(([, value]) => value !== undefined)
  return Object.fromEntries(set) as Defined<T>
}
