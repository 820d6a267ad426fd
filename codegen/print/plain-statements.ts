/**
 * Prints the shapes that nearly every module consists of: interfaces of properties, aliases, constants. It gives the
 * same bytes as ts-morph, and leaves other shapes to it. A run after a small edit needs no more than this, and so loads
 * no compiler.
 */
import type {
  InterfaceDeclarationStructure,
  StatementStructures,
  TypeAliasDeclarationStructure,
  VariableStatementStructure,
} from 'ts-morph'
import { structure as kinds } from '../emit/code/structures.ts'
import { closeDocs } from './module.ts'

/** The text of a statement; undefined for one with a part that this file does not print. */
export function printPlainStatement(structure: StatementStructures): string | undefined {
  const closed = closeDocs(structure)
  switch (closed.kind) {
    case kinds.interface:
      return printInterface(closed)
    case kinds.alias:
      return printAlias(closed)
    case kinds.variable:
      return printConstant(closed)
    default:
      return undefined
  }
}

function printInterface(one: InterfaceDeclarationStructure): string | undefined {
  if (!hasOnly(one, ['kind', 'name', 'isExported', 'docs', 'properties'])) return undefined
  const properties = (one.properties ?? []).map(printProperty)
  const docs = printDocs(one.docs, '')
  if (docs === undefined || properties.some((each) => each === undefined)) return undefined
  return `${docs}${exported(one)}interface ${one.name} {\n${properties.join('')}}`
}

function printProperty(one: object): string | undefined {
  if (!hasOnly(one, ['kind', 'name', 'isReadonly', 'hasQuestionToken', 'type', 'docs']))
    return undefined
  const { name, isReadonly, hasQuestionToken, type, docs } = one as {
    readonly [key in string]?: unknown
  }
  const above = printDocs(docs, '  ')
  if (above === undefined || typeof type !== 'string' || type.includes('\n')) return undefined
  const marks = [isReadonly ? 'readonly ' : '', `${name}`, hasQuestionToken ? '?' : '']
  return `${above}  ${marks.join('')}: ${type}\n`
}

function printAlias(one: TypeAliasDeclarationStructure): string | undefined {
  if (!hasOnly(one, ['kind', 'name', 'isExported', 'docs', 'type'])) return undefined
  const docs = printDocs(one.docs, '')
  if (docs === undefined || typeof one.type !== 'string') return undefined
  return `${docs}${exported(one)}type ${one.name} =${spaced(one.type)}`
}

function printConstant(one: VariableStatementStructure): string | undefined {
  const known = ['kind', 'isExported', 'docs', 'declarationKind', 'declarations']
  const [declaration, ...more] = one.declarations
  if (!hasOnly(one, known) || declaration === undefined || more.length > 0) return undefined
  if (!hasOnly(declaration, ['name', 'type', 'initializer'])) return undefined
  const { name, type, initializer } = declaration
  const docs = printDocs(one.docs, '')
  if (docs === undefined || typeof initializer !== 'string') return undefined
  if (type !== undefined && (typeof type !== 'string' || type.includes('\n'))) return undefined
  const typed = type === undefined ? '' : `: ${type}`
  return `${docs}${exported(one)}${one.declarationKind} ${name}${typed} =${spaced(initializer)}`
}

/** What follows an equals sign: on the same line, unless it begins with a line break. */
function spaced(text: string): string {
  return text.startsWith('\n') ? text : ` ${text}`
}

function exported({ isExported }: { readonly isExported?: boolean }): string {
  return isExported === true ? 'export ' : ''
}

/** A comment of one line or a block of several; undefined for docs that are more than a text. */
function printDocs(docs: unknown, indent: string): string | undefined {
  if (docs === undefined) return ''
  if (!Array.isArray(docs) || docs.length > 1) return undefined
  const [text] = docs as readonly unknown[]
  if (text === undefined) return ''
  if (typeof text !== 'string' || text === '' || text !== text.trim()) return undefined
  const lines = text.split('\n')
  if (lines.length === 1) return `${indent}/** ${text} */\n`
  const inside = lines.map((line) => `${indent} * ${line}`.trimEnd())
  return [`${indent}/**`, ...inside, `${indent} */\n`].join('\n')
}

/** True if a structure has no part beside the known ones. */
function hasOnly(value: object, known: readonly string[]): boolean {
  return Object.entries(value).every(([key, each]) => each === undefined || known.includes(key))
}
