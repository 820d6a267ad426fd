import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { printLayers } from '../layers.ts'
import type { Source } from './sources.ts'

const path =
  /`((?:\.ci|codegen|daemons|examples|generated|runtime|schemas|test|tools)\/[\w./@-]*)`/g

/** Paths that a document names in backquotes and that are not there. Paths with a placeholder in them are no paths. */
export function checkPaths(documents: readonly Source[], root: string): readonly string[] {
  return documents.flatMap(({ path: document, text }) =>
    [...text.matchAll(path)]
      .map((match) => match[1]!)
      .filter((named) => !existsSync(join(root, named)))
      .map((named) => `${document}: ${named} is not there`),
  )
}

const shown = /(<!-- floors -->\n)[\s\S]*?(<!-- \/floors -->)/

/** ARCHITECTURE.md shows the floors as they are enforced, between its two markers. */
export function checkLayersTable(documents: readonly Source[]): readonly string[] {
  const architecture = documents.find(({ path }) => path === 'ARCHITECTURE.md')
  if (architecture === undefined) return ['ARCHITECTURE.md is missing']
  if (!shown.test(architecture.text)) return ['ARCHITECTURE.md has no <!-- floors --> markers']
  if (withLayersTable(architecture.text) === architecture.text) return []
  return ['ARCHITECTURE.md does not show the floors of tools/layers.ts']
}

/** A document with the floors as they are between its two markers. */
export function withLayersTable(text: string): string {
  const table = printLayers().replace(/^/gm, '    ')
  return text.replace(shown, (_, open, close) => `${open}\n${table}\n\n${close}`)
}
