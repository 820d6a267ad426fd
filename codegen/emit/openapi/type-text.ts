/** Schemas of a published document as TypeScript text, in the layout of the compiler's own printer. */
import type { Schema } from './schemas.ts'

const identifier = /^[A-Za-z_$][A-Za-z_$0-9]*$/

/** A property name, quoted where it has to be. */
export function propertyName(name: string): string {
  return identifier.test(name) ? name : JSON.stringify(name)
}

/**
 * Members in braces, which belong to something at the given depth.
 * Four blanks a level, each member on a line of its own.
 */
export function block(members: readonly string[], depth: number): string {
  const inner = '    '.repeat(depth + 1)
  return `{\n${members.map((member) => `${inner}${member}\n`).join('')}${'    '.repeat(depth)}}`
}

/**
 * The type of a schema at the given depth.
 * An `allOf` of one is the reference in it: keywords beside it say nothing about the type. What
 * has no type at all is `unknown`.
 */
export function typeText(schema: Schema, depth: number): string {
  if (typeof schema.$ref === 'string') {
    const name = schema.$ref.slice('#/components/schemas/'.length)
    return `components["schemas"][${JSON.stringify(name)}]`
  }
  if (Array.isArray(schema.enum)) return union(schema.enum.map((value) => JSON.stringify(value)))
  const [only] = (schema.allOf ?? []) as readonly Schema[]
  if (only !== undefined) return typeText(only, depth)
  if (Array.isArray(schema.oneOf)) {
    return union(schema.oneOf.map((each: Schema) => typeText(each, depth)))
  }
  switch (schema.type) {
    case 'string':
    case 'boolean':
      return schema.type
    case 'integer':
    case 'number':
      return 'number'
    case 'array':
      return listText(schema.items as Schema, depth)
    case 'object':
      return objectText(schema, depth)
    default:
      return 'unknown'
  }
}

/** Members that print the same stand once: `number | string` for an integer or a text. */
function union(texts: readonly string[]): string {
  return [...new Set(texts)].join(' | ')
}

/** `("a" | "b")[]`: parentheses only where several members would bind to the brackets. */
function listText(items: Schema, depth: number): string {
  const text = typeText(items, depth)
  const several = Array.isArray(items.enum) ? items.enum.length > 1 : Array.isArray(items.oneOf)
  return several ? `(${text})[]` : `${text}[]`
}

/** A property with a default is never optional, as openapi-typescript has it. */
function objectText(schema: Schema, depth: number): string {
  const required = new Set((schema.required ?? []) as readonly string[])
  const properties = Object.entries((schema.properties ?? {}) as Readonly<Record<string, Schema>>)
  const members = properties.map(([name, property]) => {
    const optional = required.has(name) || property.default !== undefined ? '' : '?'
    const type = typeText(property, depth + 1)
    return `${comment(property, depth + 1)}${propertyName(name)}${optional}: ${type};`
  })
  const values = schema.additionalProperties as Schema | undefined
  if (values !== undefined) members.push(`[key: string]: ${typeText(values, depth + 1)};`)
  return members.length === 0 ? 'Record<string, never>' : block(members, depth)
}

/** The doc comment of something at the given depth, with the line break and indentation before the thing itself. */
export function comment(schema: Schema, depth: number): string {
  const { format, description, default: value, enum: values, type } = schema
  const shown = typeof value === 'object' ? JSON.stringify(value, null, 2) : value
  const lines = [
    ...(format === undefined ? [] : [`Format: ${format}`]),
    ...(description === undefined || description === '' ? [] : [tag('description', description)]),
    ...(value === undefined ? [] : [tag('default', shown)]),
    ...(values === undefined ? [] : [`@enum {${type ?? 'unknown'}}`]),
  ].map((line) => line.replaceAll('*/', '*\\/'))
  const [first] = lines
  if (first === undefined) return ''
  const indent = '    '.repeat(depth)
  if (lines.length === 1 && !first.includes('\n')) return `/** ${first} */\n${indent}`
  const text = lines
    .flatMap((line) => line.split('\n'))
    .map((line) => `${`${indent} ${star(line)}`.trimEnd()}\n`)
  return `/**\n${text.join('')}${indent} */\n${indent}`
}

/** A line that a tag continued has its star already. */
function star(line: string): string {
  return line.startsWith('* ') ? line : `* ${line}`
}

/** Further lines are indented behind the star, below the tag's text. */
function tag(name: string, value: unknown): string {
  return `@${name} ${String(value).trim().replaceAll(/\r?\n/g, '\n*     ')}`
}
