/** What becomes of findings: reports, baselines, exit codes. */
import { readFile, writeFile } from 'node:fs/promises'
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
function outputOf(text: string): Output | string {
  const [format = '', ...rest] = text.split('=')
  const file = rest.length === 0 ? undefined : rest.join('=')
  const names = Object.keys(formats)
  if (!names.includes(format)) {
    return `--output ${format}: one of ${names.join(', ')}${didYouMean(format, names)}`
  }
  return { format: format as Format, file }
}

/** The outputs of a command line; a string says which one is none, or which two have one file. */
export function outputsOf(texts: readonly string[]): readonly Output[] | string {
  const outputs: Output[] = []
  for (const text of texts) {
    const output = outputOf(text)
    if (typeof output === 'string') return output
    const isTaken = outputs.some(({ file }) => file !== undefined && file === output.file)
    if (isTaken) return `--output ${text}: another format goes to ${output.file}, too`
    outputs.push(output)
  }
  return outputs
}

/**
 * Prints the reports. Those without a file go to standard output, in the order in which they were asked for. One that cannot be written
 * keeps no other from it: what is told of it comes back.
 */
export async function printRun(
  { print, environment }: Terminal,
  run: Omit<Run, 'colour'>,
  outputs: readonly Output[],
): Promise<readonly string[]> {
  const problems: string[] = []
  const wanted: readonly Output[] =
    outputs.length === 0 ? [{ format: 'text', file: undefined }] : outputs
  for (const { format, file } of wanted) {
    const colour = file === undefined && process.stdout.isTTY === true && !environment.NO_COLOR
    const text = formats[format]({ ...run, colour })
    if (file === undefined) {
      if (text !== '') print(text)
      continue
    }
    const problem = await problemOfWriting(file, `${text}\n`)
    if (problem !== undefined) problems.push(`--output ${format}=${file}: ${problem}`)
  }
  return problems
}

/** Writes a text; why it could not, if it could not. */
export async function problemOfWriting(file: string, text: string): Promise<string | undefined> {
  try {
    await writeFile(file, text)
    return undefined
  } catch (error) {
    return (error as Error).message
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
