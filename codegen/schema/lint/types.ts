/** Lint: types, formats, patterns and names of schemas. */
import { didYouMean } from '../../../runtime/kernel/values/spelling.ts'
import { type Schema, walkSchema } from '../build/json-schema.ts'
import type { Report } from '../finding.ts'
import type { LintRule } from './lint-rule.ts'
import { whyNotLinear } from './pattern/linear.ts'

/** The types that a schema may name. */
const types = ['array', 'boolean', 'integer', 'number', 'object', 'string']

/** The formats that readers check: any other would be a promise that is not kept. */
export const formats: Readonly<Record<string, readonly string[]>> = {
  integer: ['int32', 'int64'],
  number: ['double', 'float'],
  string: ['byte', 'date-time'],
}

/** Names can be generated; types, formats and patterns exist; required names are properties. */
export const checkTypes: LintRule = ({ definitions }, report) => {
  for (const { name, at, schema } of definitions.fresh) {
    if (!isDefinitionName(name)) {
      const wanted = 'letters and digits, a capital first'
      report(at, 'bad-name', `"${name}" cannot be the name of a definition; expected ${wanted}`)
    }
    walkSchema(schema, (each) => {
      checkNames(each, report)
      checkType(each, report)
      checkFormat(each, report)
      checkPattern(each, report)
      checkRequired(each, report)
    })
  }
}

/** True for a name that a generated type can have. */
export function isDefinitionName(name: string): boolean {
  return /^[A-Z][A-Za-z0-9]*$/.test(name)
}

/** True for a name that a generated property can have. */
export function isPropertyName(name: string): boolean {
  return /^[$A-Za-z][-.$\w]*$/.test(name)
}

/** True for a pattern that compiles and is linear. */
export function isUsablePattern(pattern: string): boolean {
  return compiles(pattern) && whyNotLinear(pattern) === undefined
}

function checkNames({ properties }: Schema, report: Report): void {
  for (const { name, at } of properties ?? []) {
    if (isPropertyName(name)) continue
    const wanted = 'letters, digits, "$", "_", "-" and ".", a letter or "$" first'
    report(at, 'bad-name', `"${name}" cannot be the name of a property; expected ${wanted}`)
  }
}

function checkType({ type }: Schema, report: Report): void {
  if (type === undefined || types.includes(type.value)) return
  const message = `"${type.value}" is not a type; expected ${list(types)}${didYouMean(type.value, types)}`
  report(type.at, 'unknown-type', message)
}

/** The format of an unknown type is not reported: the type is. */
function checkFormat({ type, format }: Schema, report: Report): void {
  if (format === undefined || (type !== undefined && !types.includes(type.value))) return
  const known = formats[type?.value ?? ''] ?? []
  if (known.includes(format.value)) return
  const what = type === undefined ? 'a schema without type' : `the type "${type.value}"`
  const wanted = known.length === 0 ? 'it has none' : `expected ${list(known)}`
  const message = `"${format.value}" is not a format of ${what}; ${wanted}`
  report(format.at, 'unknown-format', message + didYouMean(format.value, known))
}

function checkPattern({ at, string: { pattern } }: Schema, report: Report): void {
  if (pattern === undefined) return
  if (!compiles(pattern)) {
    report(at, 'bad-pattern', `"${pattern}" is not a regular expression`)
    return
  }
  const why = whyNotLinear(pattern)
  if (why === undefined) return
  report(at, 'slow-pattern', `"${pattern}" may take longer than a text is long: ${why}`)
}

/** A schema that includes others may require their properties, which are not at hand here. */
function checkRequired({ properties, required, inline }: Schema, report: Report): void {
  if (inline.length > 0) return
  const names = (properties ?? []).map(({ name }) => name)
  for (const { value, at } of required) {
    if (names.includes(value)) continue
    const near = didYouMean(value, names)
    report(at, 'required-unknown', `"${value}" is required but is no property${near}`)
  }
}

function list(words: readonly string[]): string {
  return words.map((each) => `"${each}"`).join(', ')
}

function compiles(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u') !== undefined
  } catch {
    return false
  }
}
