/** Lint: kinds. */
import type { KindFacts } from '../ir.ts'
import type { StructType } from '../named-type.ts'
import { type LintRule, typesById } from './lint-rule.ts'

/** A served kind is a struct with metadata, and its plural is unique in its group version. */
export const checkKinds: LintRule = (built, report) => {
  const types = typesById(built)
  const { api, definitions } = built
  const plurals = new Map<string, KindFacts>()
  for (const { schema } of definitions.fresh) {
    const block = schema.markers.get('kind')
    const implied = schema.properties?.find(({ name }) => name === 'kind' || name === 'apiVersion')
    if (block === undefined || implied === undefined) continue
    report(
      implied.at,
      'implied-field',
      `"${implied.name}" is implied by "x-orch-kind"; leave it out`,
    )
  }
  for (const kind of api.kinds) {
    const { group, version, plural } = kind
    const place = `${group === '' ? 'the core group' : group} ${version}`
    const other = plurals.get(`${group}/${version}/${plural}`)
    plurals.set(`${group}/${version}/${plural}`, other ?? kind)
    if (other !== undefined) {
      const message = `the plural "${plural}" of ${kind.kind} is taken by ${other.kind} in ${place}`
      report(kind.at, 'duplicate-plural', message)
    }
    const type = types.get(kind.type)
    if (type !== undefined && !hasMetadata(type as StructType)) {
      const wanted = 'expected a field "metadata" of type ObjectMeta'
      report(kind.at, 'kind-without-metadata', `${kind.kind} has no metadata; ${wanted}`)
    }
    if (!/^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(plural)) {
      const message = `the plural "${plural}" must be lower-case letters, digits and hyphens`
      report(kind.at, 'bad-plural', message)
    }
  }
}

function hasMetadata({ is, fields }: StructType): boolean {
  if (is !== 'struct') return false
  return fields.some(
    ({ name, type }) =>
      name === 'metadata' && type.is === 'ref' && type.to === 'meta/v1.ObjectMeta',
  )
}
