/** What becomes of findings: reports, baselines, exit codes. */
import { accessSync, constants as modes, statSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Terminal } from '../../../daemons/run.ts'
import { didYouMean } from '../../../runtime/kernel/values/spelling.ts'
import {
  type Finding,
  type Format,
  fingerprints,
  formats,
  type Run,
} from '../../../runtime/validate/validate.ts'
import { readProblem } from './given-paths.ts'

/** A place that a report goes to. */
export interface Output {
  readonly format: Format
  readonly file: string | undefined
}

/** An output as `FORMAT` or `FORMAT=FILE`; a string says why it is none. */
export function outputOf(text: string): Output | string {
  const [format = '', ...rest] = text.split('=')
  const file = rest.length === 0 ? undefined : rest.join('=')
  const names = Object.keys(formats)
  if (!names.includes(format)) {
    return `--output ${format}: one of ${names.join(', ')}${didYouMean(format, names)}`
  }
  return { format: format as Format, file }
}

/** Why nothing could be written to a file; it is asked before anything is judged. */
export function unwritable(flag: string, file: string): string | undefined {
  const known = statSync(file, { throwIfNoEntry: false })
  if (known?.isDirectory()) return `${flag} ${file}: it is a folder, name a file`
  const folder = dirname(file)
  const isThere = statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true
  if (!isThere) return `${flag} ${file}: there is no folder ${folder}`
  try {
    accessSync(known === undefined ? folder : file, modes.W_OK)
    return undefined
  } catch {
    return `${flag} ${file}: it may not be written`
  }
}

/** Prints the reports. Those without a file go to standard output, in the order in which they were asked for. */
export async function printRun(
  { print, environment }: Terminal,
  run: Omit<Run, 'colour'>,
  outputs: readonly Output[],
): Promise<void> {
  const wanted: readonly Output[] =
    outputs.length === 0 ? [{ format: 'text', file: undefined }] : outputs
  for (const { format, file } of wanted) {
    const colour = file === undefined && process.stdout.isTTY === true && !environment.NO_COLOR
    const text = formats[format]({ ...run, colour })
    if (file !== undefined) await writeFile(file, `${text}\n`)
    else if (text !== '') print(text)
  }
}

/** True if findings make the exit code 1. */
export function failsOn(findings: readonly Finding[], least: string): boolean {
  if (least === 'never') return false
  return findings.some(
    ({ severity }) => severity === 'error' || (least === 'warning' && severity === 'warning'),
  )
}

/** Findings by what they are known by in another run, with words for who reviews the file. */
export function baselineOf(findings: readonly Finding[]): string {
  const known = fingerprints(findings)
  const rows = findings.map(({ rule, file, message }, index) => ({
    fingerprint: known[index],
    rule,
    file,
    message,
  }))
  return `${JSON.stringify({ version: 1, findings: rows }, null, 2)}\n`
}

/** The fingerprints of a baseline, or why it is none: a baseline that cannot be read is never an empty one. */
export async function readBaseline(file: string): Promise<readonly string[] | string> {
  try {
    const { version, findings } = JSON.parse(await readFile(file, 'utf8'))
    if (version !== 1 || !Array.isArray(findings)) return `--baseline ${file}: it is no baseline`
    return findings.map(({ fingerprint }) => String(fingerprint))
  } catch (error) {
    return `--baseline ${file}: ${readProblem(error)}`
  }
}

/** The findings that a baseline does not have, and how many it has. */
export function withoutKnown(findings: readonly Finding[], baseline: readonly string[]) {
  const names = new Set(baseline)
  const prints = fingerprints(findings)
  const left = findings.filter((_, index) => !names.has(prints[index] as string))
  return { findings: left, known: findings.length - left.length }
}
