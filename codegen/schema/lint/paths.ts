/** Lint: field paths in the blocks of kinds. */
import { cellNames, strategyNames } from '../../../runtime/kernel/descriptors/behaviour-names.ts'
import { didYouMean } from '../../../runtime/kernel/values/spelling.ts'
import { kindBlock } from '../build/json-schema.ts'
import type { Report } from '../finding.ts'
import type { Field, NamedType, Type } from '../named-type.ts'
import { entries, get, items, text, type YamlNode } from '../yaml/node.ts'
import { type LintRule, typesById } from './lint-rule.ts'

type Types = ReadonlyMap<string, NamedType>

/** Paths lead to fields that exist; cells and strategies that are no paths are names of functions that exist. */
export const checkPaths: LintRule = (built, report) => {
  const types = typesById(built)
  for (const definition of built.definitions.fresh) {
    const block = kindBlock(definition.node)
    if (block === undefined) continue
    const check = (node: YamlNode | undefined, path: string | undefined): void => {
      if (node !== undefined && path !== undefined)
        checkPath(node, path, definition.id, types, report)
    }
    for (const column of items(get(block, 'columns'))) {
      const cell = get(column, 'cell')
      if (text(cell)?.startsWith('.') === true) check(cell, text(cell)?.slice(1))
      else if (text(cell)?.startsWith('$') !== true) checkName(cell, 'cell', cellNames, report)
    }
    for (const strategy of items(get(block, 'strategies'))) {
      checkName(strategy, 'strategy', strategyNames, report)
    }
    for (const { value } of entries(get(block, 'selectableFields'))) check(value, text(value))
    for (const path of items(get(block, 'immutable'))) check(path, text(path))
    for (const { value } of entries(get(block, 'applyReset'))) {
      for (const path of items(value)) check(path, text(path))
    }
    for (const { value } of entries(get(block, 'subresources'))) {
      for (const path of items(get(value, 'writes'))) check(path, text(path))
      for (const key of ['specReplicasPath', 'statusReplicasPath', 'labelSelectorPath']) {
        check(get(value, key), text(get(value, key)))
      }
    }
  }
}

/** A name is one of those of a table: with any other, every request for the kind would fail. */
function checkName(
  node: YamlNode | undefined,
  what: 'cell' | 'strategy',
  names: readonly string[],
  report: Report,
): void {
  const name = text(node)
  if (node === undefined || name === undefined || names.includes(name)) return
  const hint = didYouMean(name, names)
  const path =
    what === 'cell' ? '; a cell is a path that begins with a dot, or one of ' : '; there is '
  const shown = hint === '' ? `${path}${names.join(', ')}` : hint
  report(node.at, `unknown-${what}`, `there is no ${what} "${name}"${shown}`)
}

/** Follows a path from a root through structs, maps and lists, and reports the step that leads nowhere. */
function checkPath(node: YamlNode, path: string, root: string, types: Types, report: Report): void {
  let type: Type | undefined = { is: 'ref', to: root }
  for (const step of stepsOf(path)) {
    const struct: NamedType | undefined = type?.is === 'ref' ? types.get(type.to) : undefined
    if (type?.is === 'ref' && struct === undefined) return
    if (type?.is === 'map') type = type.values
    else if (type?.is === 'list') type = /^[0-9]+$|^\*$/.test(step) ? type.items : undefined
    else if (struct?.is === 'struct') {
      const names = struct.fields.map(({ name }) => name)
      const field: Field | undefined = struct.fields.find(({ name }) => name === step)
      if (field === undefined && !implied(struct.root, step)) {
        report(
          node.at,
          'unknown-path',
          `"${struct.id}" has no field "${step}"${didYouMean(step, names)}`,
        )
        return
      }
      type = field?.type
    } else type = undefined
    if (type === undefined && struct === undefined) {
      report(node.at, 'unknown-path', `"${path}" leads nowhere: there is nothing under "${step}"`)
      return
    }
  }
}

/** `kind` and `apiVersion` of a root, which no schema declares. */
function implied(root: boolean, step: string): boolean {
  return root && (step === 'kind' || step === 'apiVersion')
}

/** The steps of `spec.ports[0].name` and `metadata.labels['a.b/c']`. */
function stepsOf(path: string): readonly string[] {
  const found = path.matchAll(/\[['"]([^\]'"]*)['"]\]|\[([^\]]*)\]|([^.[\]]+)/g)
  return [...found].map((match) => match[1] ?? match[2] ?? match[3] ?? '')
}
