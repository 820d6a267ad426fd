/** Values that say themselves what kind they are of. */
import type { ConfigKind } from '../kernel/config.ts'
import { nearest } from '../kernel/nearest.ts'
import { createReport } from '../kernel/read.ts'
import type { FeatureGates } from './features.ts'
import type { ConfigFinding } from './finding.ts'
import { entryOf, type Placed, plainOf } from './place.ts'
import { ruleFindings } from './rules.ts'
import { readPart } from './source.ts'
import { structFindings } from './struct-findings.ts'

/** Kinds of configuration by apiVersion and kind, each loaded when it is asked for. */
export type ConfigKinds = Readonly<Record<string, () => Promise<ConfigKind>>>

/** A value with its defaults; undefined if anything is wrong with it. */
export interface Named {
  readonly value?: unknown
  /** The value with its places, without kind and apiVersion. */
  readonly body?: Placed
  readonly findings: readonly ConfigFinding[]
}

/** Reads and checks a value by the kind that it names, which has to be called `wanted`. */
export async function readNamed(
  kinds: ConfigKinds,
  root: Placed,
  wanted: string,
  gates: FeatureGates,
): Promise<Named> {
  const key = `${textAt(root, 'apiVersion')}/${textAt(root, 'kind')}`
  const offered = Object.keys(kinds).filter((one) => one.endsWith(`/${wanted}`))
  const load = offered.includes(key) ? kinds[key] : undefined
  if (load === undefined) {
    const near = nearest(key, offered) ?? offered[0]
    const message = `expected a ${wanted}, not ${key}${near === undefined ? '' : `; did you mean ${near}?`}`
    return { findings: [{ place: root.at, message }] }
  }
  const kind = await load()
  const { root: body, findings: read } = readPart(kind, root, 'file')
  if (body === undefined) return { findings: read }
  const findings = [
    ...read,
    ...structFindings(kind, body, gates),
    ...(await ruleFindings(kind, body, read.length > 0)),
  ]
  if (findings.length > 0) return { findings }
  return { value: kind.read(plainOf(body), createReport()), body, findings }
}

function textAt(root: Placed, key: string): string {
  const value = entryOf(root, key)?.value
  return value?.is === 'scalar' && typeof value.value === 'string' ? value.value : ''
}
