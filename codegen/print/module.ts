/**
 * The layout of a module: header, imports, statements. The printer of statements is an argument: ts-morph, or the plain
 * printer that needs no compiler.
 */
import type { StatementStructures } from 'ts-morph'
import type { ModuleArtefact } from '../emit/artefact.ts'
import { withHeader } from './header.ts'
import { type Import, mergeImports, namesOf } from './imports.ts'

/** The formatter's line width. */
const width = 100

/** The text of one statement, without blank lines around it. */
export type StatementPrinter = (structure: StatementStructures) => string

/** The text of a module's file: blocks with one blank line between them. */
export function printModule(artefact: ModuleArtefact, printStatement: StatementPrinter): string {
  const heads = mergeImports(artefact.imports).map(printImport)
  const blocks = artefact.statements.map((each) =>
    typeof each === 'string' ? each.trimEnd() : printStatement(each),
  )
  const parts = [...(heads.length === 0 ? [] : [heads.join('\n')]), ...blocks]
  return withHeader(artefact, `${parts.join('\n\n')}\n`)
}

/** On one line, or, if that is longer than the width, with one line for each name. */
function printImport(declaration: Import): string {
  const head = declaration.isTypeOnly ? 'import type' : 'import'
  const from = `from '${declaration.moduleSpecifier}'`
  const names = namesOf(declaration)
  const line = `${head} { ${names.join(', ')} } ${from}`
  if (line.length <= width) return line
  return `${head} {\n${names.map((name) => `  ${name},\n`).join('')}} ${from}`
}

/** The structure with doc comments in which no text ends the comment early: printers write them as they are. */
export function closeDocs<T>(value: T): T {
  if (Array.isArray(value)) return value.map(closeDocs) as T
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, each]) => [
    key,
    key === 'docs' && Array.isArray(each)
      ? each.map((doc) => (typeof doc === 'string' ? doc.replaceAll('*/', '*\\/') : doc))
      : closeDocs(each),
  ])
  return Object.fromEntries(entries) as T
}
