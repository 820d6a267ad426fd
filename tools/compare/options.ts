import { parseArgs } from 'node:util'
import type { ScenarioClass } from './scenario.ts'
import { scenarioClasses } from './scenarios/scenario-classes.ts'

/** What a run compares. */
export interface CompareOptions {
  /** The orchconfig file of the server that is right. */
  readonly reference: string
  /** The orchconfig file of the server under test. Default: one that is started for the run. */
  readonly server?: string
  readonly classes: readonly ScenarioClass[]
  /** Scenarios of each class. */
  readonly cases: number
  readonly seed: number
  /** The index of the first scenario: `--first 17 --cases 1` runs one again. */
  readonly first: number
  /** Only scenarios whose subject contains this. */
  readonly subject?: string
  /** Scenarios under way at once. */
  readonly parallel: number
  /** Differences are shown in the smallest request that shows them. Default true. */
  readonly shrink: boolean
  /** Where all differences are written as JSON. */
  readonly json?: string
}

/** What --help prints. */
export function usage(): string {
  const classes = scenarioClasses.map(({ name, about }) => `  ${name.padEnd(14)}${about}`)
  return [
    'usage: npm run compare -- --reference ORCHCONFIG [CLASS ...] [flags]',
    '',
    'Sends the same generated requests to two servers and prints what they answer differently, each difference once, in the',
    'smallest request that shows it. The exit code is 1 if one is new, that is, not in tools/compare/known.ts.',
    '',
    'Classes (all without one):',
    ...classes,
    '',
    'What is compared: status, every header but those of the connection (of Audit-Id, ETag and X-Kubernetes-PF-*, that they are',
    'there), the body value by value and byte by byte, the causes of an error in their order, and the events of what a sequence wrote.',
    'Identifiers, revisions, times of today and addresses are equal where they stand for the same.',
    '',
    'What to do with a difference: find its cause and mend it, then put the request into a test that needs no reference. If it is',
    'meant, add a line to tools/compare/known.ts with its decision. Run again with another --seed. At the end a table tells for each',
    'class cases, requests, places that differed, kinds of differences that are known and unexplained, and seconds.',
    '',
    'Examples:',
    '  npm run compare -- --reference ref.yaml objects --subject Pod.v1 --cases 500',
    '  npm run compare -- --reference ref.yaml sequences --seed 7 --first 312 --cases 1    one case again',
    '  npm run compare -- --reference ref.yaml --cases 100000 --parallel 32 --no-shrink --json all.json',
    '',
    'Flags:',
    '  --reference FILE  the orchconfig of the server that is right',
    '  --server FILE     the orchconfig of the server under test; without it one is started, in memory',
    '  --cases N         scenarios of each class (1000)',
    '  --seed N          what scenarios are made from (1); equal seeds make equal scenarios',
    '  --first N         the index of the first scenario (0)',
    '  --subject TEXT    only scenarios about it, such as Pod.v1',
    '  --parallel N      scenarios under way at once (16)',
    '  --no-shrink       shows the first request with a difference, and not the smallest',
    '  --json FILE       writes all differences there',
  ].join('\n')
}

/** The flags of the command, as `parseArgs` takes them. */
const flags = {
  reference: { type: 'string' },
  server: { type: 'string' },
  cases: { type: 'string', default: '1000' },
  seed: { type: 'string', default: '1' },
  first: { type: 'string', default: '0' },
  subject: { type: 'string' },
  parallel: { type: 'string', default: '16' },
  'no-shrink': { type: 'boolean', default: false },
  json: { type: 'string' },
} as const

/** Reads the command line. Throws an Error whose message says what is wrong with it. */
export function compareOptions(args: readonly string[]): CompareOptions {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: flags,
    allowPositionals: true,
  })
  const { reference, server, subject, json } = values
  if (reference === undefined) throw new Error('--reference is required')
  return {
    reference,
    classes: positionals.length === 0 ? scenarioClasses : positionals.map(classNamed),
    cases: wholeNumber('cases', values.cases),
    seed: wholeNumber('seed', values.seed),
    first: wholeNumber('first', values.first),
    parallel: Math.max(1, wholeNumber('parallel', values.parallel)),
    shrink: !values['no-shrink'],
    ...(server !== undefined && { server }),
    ...(subject !== undefined && { subject }),
    ...(json !== undefined && { json }),
  }
}

/** @throws an Error that names the classes there are. */
function classNamed(name: string): ScenarioClass {
  const found = scenarioClasses.find((each) => each.name === name)
  if (found !== undefined) return found
  throw new Error(
    `no such class: ${name}; there are ${scenarioClasses.map(({ name }) => name).join(', ')}`,
  )
}

/** @throws an Error for a text that is no number. */
function wholeNumber(flag: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`--${flag} must be a whole number, not ${text}`)
  return Number(text)
}
