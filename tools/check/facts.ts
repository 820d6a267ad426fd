/**
 * Compares the schemas with a file of facts: what the types, fields and resources of a release are, by a source of its
 * own. `node dist/tools/check/facts.js FILE` prints every difference and fails if there is one that is not meant. Documents
 * in Markdown after it add what they say of metrics.
 */
import { readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { packageRoot } from '../../codegen/main.ts'
import { readSources } from '../../codegen/schema/files/sources.ts'
import type { Api } from '../../codegen/schema/ir.ts'
import { readApi } from '../../codegen/schema/read.ts'
import { defaultDifferences } from './facts-defaults.ts'
import { metricsIn } from './facts-documents.ts'
import { gateDifferences, groupDifferences } from './facts-groups.ts'
import { reasonFor } from './facts-known.ts'
import { metricDifferences } from './facts-metrics.ts'
import { resourceDifferences } from './facts-resources.ts'
import { typeDifferences } from './facts-types.ts'

export type { Facts, FieldFact, ResourceFact, TypeFact } from './facts-file.ts'

import type { Facts } from './facts-file.ts'

/** What was compared, and every difference as one line. */
export interface Comparison {
  readonly types: number
  readonly fields: number
  readonly resources: number
  readonly metrics: number
  readonly differences: readonly string[]
}

/** Compares a scheme with facts about it. */
export function compareFacts(api: Api, facts: Facts): Comparison {
  const described = Object.values(facts.types)
  return {
    types: described.length,
    fields: described.reduce((sum, { fields }) => sum + fields.length, 0),
    resources: facts.resources.length,
    metrics: facts.metrics?.length ?? 0,
    differences: [
      ...typeDifferences(api, facts),
      ...resourceDifferences(api, facts),
      ...groupDifferences(api, facts),
      ...gateDifferences(api, facts),
      ...defaultDifferences(api, facts),
      ...metricDifferences(api, facts),
    ],
  }
}

/** The schemas of this repository under its own names. */
export async function ownApi(): Promise<Api> {
  const roots = [{ folder: join(packageRoot, 'schemas'), prefix: '' as const }]
  const platform = join(packageRoot, 'schemas/platform/orch.yaml')
  const { api, findings } = readApi(await readSources(roots, platform), () => '')
  if (api === undefined) throw new Error(findings.map(({ message }) => message).join('\n'))
  return api
}

/** Prints every difference; the result is the exit code: 1 if one of them is not meant, 2 without a file. */
async function main(file: string | undefined, documents: readonly string[]): Promise<number> {
  if (file === undefined) {
    console.error('usage: node dist/tools/check/facts.js FILE [DOCUMENT.md ...]')
    return 2
  }
  const read = JSON.parse(readFileSync(file, 'utf8')) as Facts
  const metrics = metricsIn(documents.map((path) => readFileSync(path, 'utf8')).join('\n'))
  const facts = { ...read, metrics: [...(read.metrics ?? []), ...metrics] }
  const {
    types,
    fields,
    resources,
    metrics: named,
    differences,
  } = compareFacts(await ownApi(), facts)
  for (const line of differences) {
    const reason = reasonFor(line)
    console.log(reason === undefined ? line : `meant: ${line} (${reason})`)
  }
  const ours = differences.filter((line) => reasonFor(line) === undefined)
  const counts = `${types} types, ${fields} fields, ${resources} resources, ${named} metrics`
  const meant = differences.length - ours.length
  console.log(`${counts}: ${ours.length} differences, and ${meant} that are meant`)
  return ours.length === 0 ? 0 : 1
}

const [, program, file, ...documents] = process.argv
if (program !== undefined && realpathSync(program) === fileURLToPath(import.meta.url)) {
  process.exitCode = await main(file, documents)
}
