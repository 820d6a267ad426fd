/** Constraints between settings, in flag files and in structs (`x-orch-constraints`). */
import {
  constraintShapes,
  type SettingConstraint,
  textFormats,
} from '../../../runtime/kernel/options/setting-constraints.ts'
import { didYouMean } from '../../../runtime/kernel/values/spelling.ts'
import type { Report } from '../finding.ts'
import type { Shape, ValueType } from '../keys/shape.ts'
import { get, items, plain, text, texts, type YamlNode } from '../yaml/node.ts'
import { checkShape } from './mapping-shape.ts'
import { oneOf } from './server-facts.ts'

const kinds = Object.keys(constraintShapes) as readonly SettingConstraint['is'][]

/**
 * The constraints of a list in a document. A constraint of an unknown kind or shape is reported and left out; a name is
 * reported if `missing` has a message about it.
 */
export function readConstraints(
  node: YamlNode | undefined,
  missing: (name: string) => string | undefined,
  report: Report,
): readonly SettingConstraint[] {
  return items(node).flatMap((each) => {
    const is = text(get(each, 'is'))
    const kind = kinds.find((known) => known === is)
    if (kind === undefined) {
      const wanted = kinds.map((known) => `"${known}"`).join(', ')
      const near = is === undefined ? '' : didYouMean(is, kinds)
      report(get(each, 'is')?.at ?? each.at, 'wrong-value', `"is" must be one of ${wanted}${near}`)
      return []
    }
    if (!checkShape(each, `the constraint "${kind}"`, shapeOf(kind), report)) return []
    for (const name of namesIn(each)) {
      const word = text(name)
      const problem = word === undefined ? undefined : missing(word)
      if (problem !== undefined) report(name.at, 'unknown-field', problem)
    }
    const format = get(each, 'format')
    if (format !== undefined) oneOf(format, '"format"', Object.keys(textFormats), report)
    return [orderedConstraint(plain(each) as SettingConstraint)]
  })
}

/** The constraint with its keys in a fixed order: the order in a document must not show in the output. */
export function orderedConstraint(constraint: SettingConstraint): SettingConstraint {
  const keys = [
    'is',
    'field',
    'format',
    'value',
    'domains',
    'prefixes',
    'values',
    'other',
    'others',
    'gate',
  ]
  const entries = Object.entries(constraint)
  return Object.fromEntries(
    entries.sort(([a], [b]) => keys.indexOf(a) - keys.indexOf(b)),
  ) as unknown as SettingConstraint
}

/** The keys of constraints whose values are lists. */
const lists: readonly string[] = ['others', 'values', 'domains', 'prefixes']

/**
 * Keys of `constraintShapes` that end with `?` may be left out; `is` and `field` are always
 * required.
 */
function shapeOf(kind: SettingConstraint['is']): Shape {
  const shape: Record<string, ValueType | `${ValueType}!`> = { is: 'string!', field: 'string!' }
  for (const key of constraintShapes[kind]) {
    const type = lists.includes(key) ? 'strings' : 'string'
    shape[key.replace('?', '')] = key.endsWith('?') ? type : `${type}!`
  }
  return shape
}

/**
 * The nodes that name settings.
 * `field` is the setting that the constraint is about, `other` and `others` those that it relates
 * it to.
 */
function namesIn(node: YamlNode): readonly YamlNode[] {
  const others = get(node, 'others')
  const listed = texts(others).length === 0 ? [] : items(others)
  return [get(node, 'field'), get(node, 'other'), ...listed].filter((each) => each !== undefined)
}
