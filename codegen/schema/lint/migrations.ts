/** Lint: the steps that lead from removed versions to those that replace them. */
import type { MigrationStep } from '../../../runtime/kernel/descriptors/migration-step.ts'
import { apiVersionOf } from '../../../runtime/kernel/meta/object.ts'
import type { KindFacts } from '../ir.ts'
import type { NamedType, Type } from '../named-type.ts'
import { type LintRule, typesById } from './lint-rule.ts'

/** Steps lead to fields that the replacing version has, and no two say something else of one field. */
export const checkMigrations: LintRule = (built, report) => {
  const types = typesById(built)
  for (const { steps = [], replacement, resources, at } of built.api.removals) {
    const kinds = built.api.kinds.filter((one) => apiVersionOf(one) === replacement)
    for (const word of Object.values(resources)) {
      const own = steps.filter(({ kind = word }) => kind === word)
      for (const message of contradictions(own)) report(at, 'migration-conflict', message)
      const newer = kinds.find(({ kind }) => kind === word)
      if (newer === undefined) continue
      for (const path of own.flatMap(placesOf).map((one) => renamed(one, own))) {
        if (leadsTo(path, newer, types)) continue
        report(at, 'unknown-path', `${word} of ${replacement} has no "${path}"`)
      }
    }
    for (const { kind } of steps) {
      if (kind === undefined || Object.values(resources).includes(kind)) continue
      report(at, 'unknown-kind', `a step is of "${kind}", which is none of the "resources"`)
    }
  }
}

/** The fields of the newer version that a step writes. */
function placesOf(step: MigrationStep): readonly string[] {
  if ('split' in step) return Object.values(step.to)
  if ('rename' in step || 'move' in step) return [step.to]
  return 'default' in step ? [step.default] : []
}

/** The field of the older version that a step takes away. */
function takenBy(step: MigrationStep): string | undefined {
  if ('rename' in step) return step.rename
  if ('move' in step) return step.move
  if ('split' in step) return step.split
  return 'refuse' in step && step.when === 'present' ? step.refuse : undefined
}

/** Fields that two steps take or write: which of them counts would depend on their order. */
function contradictions(steps: readonly MigrationStep[]): readonly string[] {
  const taken = twice(steps.flatMap((step) => takenBy(step) ?? []))
  const written = twice(steps.flatMap(placesOf))
  return [
    ...taken.map((path) => `two steps say what becomes of "${path}"`),
    ...written.map((path) => `two steps write "${path}"`),
  ]
}

function twice(paths: readonly string[]): readonly string[] {
  return [...new Set(paths.filter((path, index) => paths.indexOf(path) !== index))]
}

/** Where a path of the older version stands once what it is in has its new name. */
function renamed(path: string, steps: readonly MigrationStep[]): string {
  for (const step of steps) {
    if ('rename' in step && path.startsWith(`${step.rename}.`)) {
      return `${step.to}${path.slice(step.rename.length)}`
    }
  }
  return path
}

/** True if the kind has the field: `spec.rules[*].host`. */
function leadsTo(
  path: string,
  { type }: KindFacts,
  types: ReadonlyMap<string, NamedType>,
): boolean {
  let found: Type | undefined = { is: 'ref', to: type }
  for (const step of path.replaceAll('[*]', '.*').split('.')) {
    const named: NamedType | undefined = found?.is === 'ref' ? types.get(found.to) : undefined
    if (step === '*') found = found?.is === 'list' ? found.items : undefined
    else
      found =
        named?.is === 'struct' ? named.fields.find(({ name }) => name === step)?.type : undefined
  }
  return found !== undefined
}
