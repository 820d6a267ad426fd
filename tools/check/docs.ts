import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { printInnerLayers, printLayers } from '../layers.ts'
import type { Source } from './sources.ts'

/** A path of the repository in backquotes. */
const path =
  /`((?:\.ci|codegen|daemons|docs|examples|generated|runtime|schemas|test|tools)\/[\w./@-]*)`/g

/** Paths that a document names in backquotes and that are not there. Paths with a placeholder in them are no paths. */
export function checkPaths(documents: readonly Source[], root: string): readonly string[] {
  return documents.flatMap(({ path: document, text }) =>
    [...text.matchAll(path)]
      .map((match) => match[1]!)
      .filter((named) => !existsSync(join(root, named)))
      .map((named) => `${document}: ${named} is not there`),
  )
}

/** What ARCHITECTURE.md shows between two markers of that name. */
const tables: Readonly<Record<string, () => string>> = {
  layers: printLayers,
  'inner layers': printInnerLayers,
}

/** ARCHITECTURE.md shows the layers as they are enforced, between its markers. */
export function checkLayersTable(documents: readonly Source[]): readonly string[] {
  const architecture = documents.find(({ path }) => path === 'ARCHITECTURE.md')
  if (architecture === undefined) return ['ARCHITECTURE.md is missing']
  const unmarked = Object.keys(tables).filter((name) => !between(name).test(architecture.text))
  if (unmarked.length > 0) {
    return unmarked.map((name) => `ARCHITECTURE.md has no <!-- ${name} --> markers`)
  }
  if (withLayersTable(architecture.text) === architecture.text) return []
  return ['ARCHITECTURE.md does not show the layers of tools/layers.ts']
}

/** A document with the layers as they are between its markers. */
export function withLayersTable(text: string): string {
  return Object.entries(tables).reduce((result, [name, print]) => {
    const table = print().replace(/^(?=.)/gm, '    ')
    return result.replace(between(name), (_, open, close) => `${open}\n${table}\n\n${close}`)
  }, text)
}

/** What stands between two markers, with the markers apart. */
function between(name: string): RegExp {
  return new RegExp(`(<!-- ${name} -->\\n)[\\s\\S]*?(<!-- /${name} -->)`)
}
