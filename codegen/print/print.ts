/** From artefacts to the text of files: the only room that knows layout. */
import { createRequire } from 'node:module'
import type { ImportDeclarationStructure, StatementStructures } from 'ts-morph'
import type { Artefact, ModuleArtefact } from '../emit/artefact.ts'
import { headed } from './header.ts'
import { mergeImports } from './imports.ts'

/** Required, not imported: what an import learns about a large CommonJS package takes as long as running it. */
const require = createRequire(import.meta.url)
const { printStructure, StructureKind } = require('ts-morph') as typeof import('ts-morph')

const width = 100

/** The files of a tree by path, in order of paths; the same artefacts give the same bytes. */
export function printAll(artefacts: readonly Artefact[]): ReadonlyMap<string, string> {
  const printed = artefacts.map((each) => [each.path, print(each)] as const)
  return new Map(printed.sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** The text of one file. */
export function print(artefact: Artefact): string {
  return headed(artefact, artefact.is === 'text' ? artefact.text : printModule(artefact))
}

function printModule({ imports, statements }: ModuleArtefact): string {
  const heads = mergeImports(imports).map(printImport)
  const blocks = statements.map((each) =>
    typeof each === 'string' ? each.trimEnd() : printStatement(each),
  )
  return `${[...(heads.length === 0 ? [] : [heads.join('\n')]), ...blocks].join('\n\n')}\n`
}

function printImport(declaration: Omit<ImportDeclarationStructure, 'kind'>): string {
  const line = toText({ ...declaration, kind: StructureKind.ImportDeclaration })
  const parts = /^(import (?:type )?)\{ (.*) \}( from .*)$/.exec(line)
  if (line.length <= width || parts === null) return line
  const [, head, names, tail] = parts
  return `${head}{\n${names
    ?.split(', ')
    .map((name) => `  ${name},\n`)
    .join('')}}${tail}`
}

/**
 * Expressions and types of several lines stand as the emitter laid them out: ts-morph would indent them once more, so it
 * prints a placeholder for each.
 */
function printStatement(structure: StatementStructures): string {
  const texts: string[] = []
  const hold = (text: string): string => `held_${texts.push(text) - 1}_`
  return toText(holdTexts(closeDocs(structure), hold))
    .replace(/\bheld_([0-9]+)_/g, (_, i) => texts[i]!)
    .replace(/ = \n/g, ' =\n')
}

function holdTexts(
  structure: StatementStructures,
  hold: (text: string) => string,
): StatementStructures {
  const held = (value: unknown) => (typeof value === 'string' ? hold(value) : value)
  switch (structure.kind) {
    case StructureKind.VariableStatement: {
      const declarations = structure.declarations.map((each) => ({
        ...each,
        initializer: held(each.initializer) as NonNullable<typeof each.initializer>,
      }))
      return { ...structure, declarations }
    }
    case StructureKind.TypeAlias:
      return { ...structure, type: held(structure.type) as typeof structure.type }
    default:
      return structure
  }
}

/** The structure with comments that cannot end early: ts-morph prints them as they are. */
function closeDocs<T>(value: T): T {
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

/** ts-morph's text without the semicolons that end lines of code. */
function toText(structure: StatementStructures): string {
  const text = printStructure(structure, { indentNumberOfSpaces: 2, useSingleQuote: true })
  return text
    .trimEnd()
    .split('\n')
    .map((line) => (/^\s*(?:\*|\/\*|\/\/)/.test(line) ? line : line.replace(/;$/, '')).trimEnd())
    .join('\n')
}
