/** The `conversion` of a kind: how objects of an older version become objects of this one, and back. */
import type { ConversionStep, FieldPath } from '../../../runtime/kernel/descriptors/conversion.ts'
import type { Report } from '../finding.ts'
import type { ConversionFacts } from '../ir.ts'
import { conversionShape, stepShapes } from '../keys/conversion-keys.ts'
import { entries, get, items, type MapNode, plain, text, type YamlNode } from '../yaml/node.ts'
import { checkShape } from './mapping-shape.ts'

/** Reads a conversion; undefined if there is none, or none of the right shape. */
export function readConversion(
  node: YamlNode | undefined,
  report: Report,
): ConversionFacts | undefined {
  if (node === undefined || !checkShape(node, 'a conversion', conversionShape, report)) {
    return undefined
  }
  const read = items(get(node, 'steps')).flatMap((each) => {
    const step = readStep(each, report)
    return step === undefined ? [] : [{ step, at: each.at }]
  })
  return {
    from: text(get(node, 'from')) ?? '',
    steps: read.map(({ step }) => step),
    at: read.map(({ at }) => at),
  }
}

/**
 * `drop` is about the older version unless `of` says `newer`. A step with two of the naming keys
 * is read by the first one; the other is then an unknown key of it.
 */
function readStep(node: YamlNode, report: Report): ConversionStep | undefined {
  const name = entries(node).find(({ key }) => Object.hasOwn(stepShapes, key))?.key
  if (name === undefined) {
    const wanted = Object.keys(stepShapes).map((each) => `"${each}"`)
    const message = `a step of a conversion has one of ${wanted.join(', ')}`
    report(node.at, 'missing-keyword', message)
    return undefined
  }
  if (!checkShape(node, `a ${name} step`, stepShapes[name]!, report)) return undefined
  const word = (key: string): string => text(get(node, key)) ?? ''
  switch (name) {
    case 'rename':
    case 'move':
      return moveOf(pathOf(word(name)), pathOf(word('to')))
    case 'split':
      return splitOf(pathOf(word(name)), node)
    case 'default':
      return defaultOf(pathOf(word(name)), node)
    case 'drop':
      return {
        is: 'drop',
        side: word('of') === 'newer' ? 'newer' : 'older',
        path: pathOf(word(name)),
        annotation: word('annotation'),
      }
    default:
      return { is: 'call', name: word(name) }
  }
}

/** `spec.rules[*].host` gives `spec`, `rules`, `*`, `host`. */
export function pathOf(path: string): FieldPath {
  return path
    .replaceAll('[', '.[')
    .split('.')
    .map((step) => (step === '[*]' ? '*' : step))
}

/** The path as schema files write it. */
export function printPath(path: FieldPath): string {
  return path.join('.').replaceAll('.*', '[*]')
}

/** Both paths are relative to the innermost list that the older one goes through. */
function moveOf(older: FieldPath, newer: FieldPath): ConversionStep {
  const cut = older.lastIndexOf('*') + 1
  return { is: 'move', at: older.slice(0, cut), older: older.slice(cut), newer: newer.slice(cut) }
}

/**
 * The targets are by JSON type: `to: { integer: spec.port, string: spec.portName }`. `integer` is
 * another word for `number`, since JSON has one type for both.
 */
function splitOf(older: FieldPath, node: MapNode): ConversionStep {
  const cut = older.lastIndexOf('*') + 1
  const targets = entries(get(node, 'to')).map(({ key, value }) => {
    const type = key === 'integer' ? 'number' : key
    return [type, pathOf(text(value) ?? '').slice(cut)]
  })
  const newer = Object.fromEntries(targets)
  return { is: 'split', at: older.slice(0, cut), older: older.slice(cut), newer }
}

/** With `zero`, a zero in the older version means the value too; a zero of the newer one is marked there
 * by the annotation of that name. */
function defaultOf(path: FieldPath, node: MapNode): ConversionStep {
  const cut = path.lastIndexOf('*') + 1
  const zero = text(get(node, 'zero'))
  const value = get(node, 'value')
  return {
    is: 'default',
    at: path.slice(0, cut),
    path: path.slice(cut),
    value: value === undefined ? null : plain(value),
    ...(zero === undefined ? {} : { zero }),
  }
}
