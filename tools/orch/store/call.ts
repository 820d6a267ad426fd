import { existsSync } from 'node:fs'
import type { Terminal } from '../../../daemons/run.ts'
import {
  type BoundKeeper,
  parseStoreLocation,
  type StoreLocation,
  storeKeeper,
  storeLocationForms,
  storeLocationProblem,
  storeLocationText,
} from '../../../runtime/store/store.ts'

/** The flags of all commands about stores. */
export const flags = {
  'accept-loss': { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
  output: { type: 'string', short: 'o', default: 'text' },
  quiet: { type: 'boolean', short: 'q', default: false },
  repair: { type: 'boolean', default: false },
  replace: { type: 'boolean', default: false },
  revision: { type: 'string' },
  since: { type: 'string' },
  'skip-revisions': { type: 'string', default: '1000000000' },
  to: { type: 'string' },
} as const

/** What the flags said. */
export interface Values {
  readonly 'accept-loss': boolean
  readonly help: boolean
  readonly output: string
  readonly quiet: boolean
  readonly repair: boolean
  readonly replace: boolean
  readonly revision?: string | undefined
  readonly since?: string | undefined
  readonly 'skip-revisions': string
  readonly to?: string | undefined
}

/** One run of a command. */
export interface Call {
  readonly name: string
  /** The store or file that it is about. */
  readonly subject: string
  readonly values: Values
  readonly terminal: Terminal
  readonly signal: AbortSignal
}

/** What is wrong with a command line. */
export class Misuse extends Error {
  override readonly name = 'Misuse'
}

/** A store that a command line names. */
export interface NamedStore {
  readonly location: StoreLocation
  readonly keeper: BoundKeeper
  /** Its name, without the password in it. */
  readonly text: string
}

/** The store that a text names. @throws Misuse if it names none that is kept. */
export async function namedStore(text: string): Promise<NamedStore> {
  const shown = storeLocationText(text)
  const location = parseStoreLocation(text)
  if (location === undefined) {
    const hint = existsSync(text) ? `; a file is written sqlite:${text}` : ''
    throw new Misuse(`${shown} is no store: ${storeLocationForms}${hint}`)
  }
  const keeper = await storeKeeper(location)
  if (keeper === undefined) throw new Misuse(`${shown}: what is in memory is not kept`)
  const problem = storeLocationProblem(location)
  if (problem !== undefined) throw new Error(`${shown}: ${problem}`)
  return { location, keeper, text: shown }
}

/** True for a text that is meant as a store, not as a file of a backup. */
export function isStore(text: string): boolean {
  return parseStoreLocation(text) !== undefined
}

/** Where it goes. @throws Misuse without `--to`. */
export function target({ name, values }: Call): string {
  if (values.to === undefined) throw new Misuse(`${name}: say where to: --to`)
  return values.to
}

/** The number that a flag says. @throws Misuse if it is none. */
export function revisionFlag(flag: string, text: string): number {
  const number = Number(text)
  if (/^\d{1,15}$/.test(text)) return number
  throw new Misuse(`--${flag} ${text}: must be a whole number`)
}
