/** Judges the files of a run and tells what is found. */
import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Terminal } from '../../../daemons/run.ts'
import { packageVersion } from '../../../daemons/version.ts'
import {
  type Finding,
  isRelease,
  type PodSecurityLevel,
} from '../../../runtime/validate/validate.ts'
import { changedSince } from './changed-files.ts'
import { checkFiles } from './check-files.ts'
import { daemonConfiguration } from './daemon-configuration.ts'
import type { FoundFile } from './files.ts'
import {
  baselineOf,
  failsOn,
  outputsOf,
  printRun,
  problemOfWriting,
  readBaseline,
  withoutKnown,
} from './outputs.ts'
import { platformsOf, WrongSchemas } from './platforms.ts'
import type { CheckThreads } from './threads.ts'

/** The flags that say how files are judged and what is told of it. */
export interface JudgeFlags {
  readonly baseline?: string | undefined
  readonly 'changed-since'?: string | undefined
  readonly complete: boolean
  readonly 'fail-on': string
  readonly 'max-file-size': string
  readonly 'no-cel': boolean
  readonly output: readonly string[]
  readonly platform: string
  readonly 'pod-security'?: string | undefined
  readonly release?: string | undefined
  readonly schemas: readonly string[]
  readonly 'write-baseline'?: string | undefined
}

/** The files of a run. */
export interface RunFiles {
  readonly files: readonly FoundFile[]
  /** Those that teach policies and kinds, and are not judged. */
  readonly given: readonly FoundFile[]
}

/** Judges files and tells what is found: the exit code, or what is wrong with the command line. */
export async function validateFiles(
  terminal: Terminal,
  values: JudgeFlags,
  { files, given }: RunFiles,
  threads: CheckThreads,
): Promise<number | string> {
  const outputs = outputsOf(values.output)
  if (typeof outputs === 'string') return outputs
  const wrong = wrongValue(values)
  if (wrong !== undefined) return wrong
  const known = values.baseline === undefined ? [] : await readBaseline(values.baseline)
  if (typeof known === 'string') return known
  const ref = values['changed-since']
  const changed = ref === undefined ? undefined : changedSince(ref)
  if (typeof changed === 'string') return `--changed-since ${changed}`
  const { platform, schemas } = values
  const platforms = platformsOf(platform, schemas, (text) => terminal.printError(text))
  const level = values['pod-security'] as PodSecurityLevel | undefined
  const result = await checkFiles(files, {
    platforms,
    configuration: await daemonConfiguration(),
    maxFileSize: Number(values['max-file-size']),
    given,
    complete: values.complete,
    expressions: !values['no-cel'],
    threads: { started: threads, platform, schemas },
    ...(values.release !== undefined && { release: values.release }),
    ...(level !== undefined && { podSecurity: level }),
  }).catch(wrongSchemas)
  if (result === undefined) return 2
  const { findings, ...checked } = result
  // What a program writes that failed is no empty cluster.
  if (files.some(({ name }) => name === '-') && checked.objects === 0 && findings.length === 0) {
    terminal.printError('orch validate: standard input has no document')
    return 2
  }
  const here = realpathSync('.')
  const told = findings.filter((one) => changed?.has(resolve(here, one.file)) ?? true)
  const file = values['write-baseline']
  const unwritten = file && (await problemOfWriting(file, baselineOf(told)))
  const left = withoutKnown(told, known)
  const placed = await withSchemaPlaces(left.findings)
  const run = { ...checked, ...left, findings: placed, version: packageVersion() }
  const lost = await printRun(terminal, run, outputs)
  const all = unwritten ? [`--write-baseline ${file}: ${unwritten}`, ...lost] : lost
  for (const problem of all) terminal.printError(`orch validate: ${problem}`)
  if (all.length > 0) return 2
  return failsOn(run.findings, values['fail-on']) ? 1 : 0
}

/** What is wrong with schema files was told. */
function wrongSchemas(error: unknown): undefined {
  if (!(error instanceof WrongSchemas)) throw error
}

/** Schema files are read only if there is something to say of them. */
async function withSchemaPlaces(findings: readonly Finding[]): Promise<readonly Finding[]> {
  if (findings.every(({ declared }) => declared === undefined)) return findings
  const { SchemaPlaces } = await import('./schema-places.ts')
  return new SchemaPlaces().placed(findings)
}

/** What is wrong with the value of a flag. */
function wrongValue(values: JudgeFlags): string | undefined {
  const { release, 'fail-on': least, 'pod-security': level, 'max-file-size': size } = values
  if (!['error', 'warning', 'never'].includes(least)) {
    return `--fail-on ${least}: one of error, warning, never`
  }
  if (release !== undefined && !isRelease(release)) {
    return `--release ${release}: write a release such as 1.32`
  }
  if (level !== undefined && !['privileged', 'baseline', 'restricted'].includes(level)) {
    return `--pod-security ${level}: one of privileged, baseline, restricted`
  }
  if (!/^[1-9]\d{0,9}$/.test(size)) return `--max-file-size ${size}: write a number of bytes`
  return undefined
}
