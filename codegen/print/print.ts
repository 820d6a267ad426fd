/**
 * From artefacts to the text of files, with ts-morph. It loads the TypeScript compiler: import it in the printer's
 * thread only.
 */
import { createRequire } from 'node:module'
import type { StatementStructures } from 'ts-morph'
import type { Artefact } from '../emit/artefact.ts'
import { withHeader } from './header.ts'
import { closeDocs, printModule } from './module.ts'

/** Required, not imported: learning the exports of a large CommonJS package takes as long as running it. */
const require = createRequire(import.meta.url)
const { printStructure, StructureKind } = require('ts-morph') as typeof import('ts-morph')

/** The text of one file, header included. */
export function printAll(artefacts: readonly Artefact[]): ReadonlyMap<string, string> {
  const printed = artefacts.map((each) => [each.path, print(each)] as const)
  return new Map(printed.sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** The text of one file. */
export function print(artefact: Artefact): string {
  if (artefact.is === 'text') return withHeader(artefact, artefact.text)
  return printModule(artefact, printStatement)
}

/**
 * Expressions and types of several lines stay as the emitter laid them out: ts-morph would indent them once more, so it
 * prints a placeholder for each.
 */
function printStatement(structure: StatementStructures): string {
  const texts: string[] = []
  const mark = markOutside(JSON.stringify(structure))
  const hold = (text: string): string => `${mark}${texts.push(text) - 1}_`
  const held = new RegExp(` ${mark}([0-9]+)_`, 'g')
  return toText(holdTexts(closeDocs(structure), hold)).replace(held, (_, index) => {
    const text = texts[index]!
    return text.startsWith('\n') ? text : ` ${text}`
  })
}

/** A placeholder that the text does not contain. */
function markOutside(text: string): string {
  let mark = 'held_'
  while (text.includes(mark)) mark += '_'
  return mark
}

/** The structure with a placeholder for each text that ts-morph must not lay out. */
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

/** ts-morph's text without semicolons at the ends of lines of code. */
function toText(structure: StatementStructures): string {
  const text = printStructure(structure, { indentNumberOfSpaces: 2, useSingleQuote: true })
  return text
    .trimEnd()
    .split('\n')
    .map((line) => (/^\s*(?:\*|\/\*|\/\/)/.test(line) ? line : line.replace(/;$/, '')).trimEnd())
    .join('\n')
}
