/**
 * JSONPath as printed columns use it: `.spec.replicas`, `.status.conditions[?(@.type=="Ready")].status`, `.spec['a.b'][0]`,
 * `..name`. A path is parsed once; the work of evaluating it is bounded for any object.
 */
import { isObject, type Json } from './json.ts'

type Step =
  | { readonly is: 'name'; readonly name: string }
  | { readonly is: 'index'; readonly index: number }
  | { readonly is: 'slice'; readonly from: number; readonly to: number | undefined }
  | { readonly is: 'all' }
  | { readonly is: 'deep' }
  | { readonly is: 'filter'; readonly test: (item: Json) => boolean }

/** A parsed path. */
export type JsonPath = readonly Step[]

/** How many values one step may give; further ones are dropped. */
const most = 10_000

/** Parses a path that begins with a dot or a bracket; undefined for a text that is no path. */
export function parseJsonPath(text: string): JsonPath | undefined {
  const steps: Step[] = []
  let at = 0
  while (at < text.length) {
    const step = text[at] === '[' ? bracket(text, at) : dotted(text, at)
    if (step === undefined) return undefined
    if (step.step !== undefined) steps.push(step.step)
    at = step.end
  }
  return steps
}

interface Parsed {
  readonly step?: Step
  readonly end: number
}

function dotted(text: string, at: number): Parsed | undefined {
  if (text[at] !== '.') return undefined
  if (text[at + 1] === '.') return { step: { is: 'deep' }, end: at + 1 }
  if (text[at + 1] === '*') return { step: { is: 'all' }, end: at + 2 }
  if (text[at + 1] === '[' || at + 1 === text.length) return { end: at + 1 }
  let name = ''
  let end = at + 1
  for (; end < text.length && text[end] !== '.' && text[end] !== '['; end++) {
    if (text[end] === '\\') end++
    name += text[end] ?? ''
  }
  return name === '' ? undefined : { step: { is: 'name', name }, end }
}

function bracket(text: string, at: number): Parsed | undefined {
  const end = closing(text, at)
  if (end < 0) return undefined
  const inner = text.slice(at + 1, end).trim()
  const step = bracketStep(inner)
  return step && { step, end: end + 1 }
}

/** The index of the bracket that closes the one at `at`, outside of quotes; -1 if there is none. */
function closing(text: string, at: number): number {
  let depth = 0
  let quote = ''
  for (let index = at; index < text.length; index++) {
    const char = text[index] as string
    if (quote !== '') quote = char === quote ? '' : quote
    else if (char === '"' || char === "'") quote = char
    else if (char === '[') depth++
    else if (char === ']' && --depth === 0) return index
  }
  return -1
}

function bracketStep(inner: string): Step | undefined {
  if (inner === '*') return { is: 'all' }
  if (/^-?\d{1,9}$/.test(inner)) return { is: 'index', index: Number(inner) }
  const slice = /^(-?\d{0,9}):(-?\d{0,9})$/.exec(inner)
  if (slice !== null) {
    const [, from = '', to = ''] = slice
    return { is: 'slice', from: Number(from), to: to === '' ? undefined : Number(to) }
  }
  const name = quoted(inner)
  if (name !== undefined) return { is: 'name', name }
  if (inner.startsWith('?(') && inner.endsWith(')')) return filter(inner.slice(2, -1))
  return undefined
}

function quoted(text: string): string | undefined {
  const first = text[0]
  if (text.length < 2 || (first !== '"' && first !== "'") || text.at(-1) !== first) return undefined
  return text.slice(1, -1).replace(/\\(.)/g, '$1')
}

const comparison = /^(.*?)\s*(==|!=|<=|>=|<|>)\s*(.*)$/s

function filter(text: string): Step | undefined {
  const parts = comparison.exec(text.trim())
  const left = operand(parts === null ? text.trim() : (parts[1] ?? ''))
  if (left === undefined) return undefined
  if (parts === null) return { is: 'filter', test: (item) => left(item) !== undefined }
  const right = operand((parts[3] ?? '').trim())
  if (right === undefined) return undefined
  const compare = comparisons[parts[2] as keyof typeof comparisons]
  return {
    is: 'filter',
    test(item) {
      const [a, b] = [left(item), right(item)]
      return a !== undefined && b !== undefined && typeof a === typeof b && compare(a, b)
    },
  }
}

type Scalar = string | number | boolean
type Operand = (item: Json) => Scalar | undefined

const comparisons = {
  '==': (a: Scalar, b: Scalar) => a === b,
  '!=': (a: Scalar, b: Scalar) => a !== b,
  '<': (a: Scalar, b: Scalar) => a < b,
  '<=': (a: Scalar, b: Scalar) => a <= b,
  '>': (a: Scalar, b: Scalar) => a > b,
  '>=': (a: Scalar, b: Scalar) => a >= b,
} as const

function operand(text: string): Operand | undefined {
  const word = quoted(text)
  if (word !== undefined) return () => word
  if (text === 'true' || text === 'false') return () => text === 'true'
  if (/^-?\d{1,15}(?:\.\d{1,15})?$/.test(text)) return () => Number(text)
  if (!text.startsWith('@')) return undefined
  const path = parseJsonPath(text.slice(1))
  return (
    path &&
    ((item) => {
      const [found] = valuesAtJsonPath(item, path)
      const scalar = ['string', 'number', 'boolean'].includes(typeof found)
      return scalar ? (found as Scalar) : undefined
    })
  )
}

/** The values at a path, in order. */
export function valuesAtJsonPath(value: Json, path: JsonPath): readonly Json[] {
  return path.reduce<readonly Json[]>(
    (values, step) => values.flatMap((one) => stepped(one, step)).slice(0, most),
    [value],
  )
}

function stepped(value: Json, step: Step): readonly Json[] {
  switch (step.is) {
    case 'name':
      return named(value, step.name)
    case 'index': {
      const item = Array.isArray(value) ? (value.at(step.index) as Json | undefined) : undefined
      return item === undefined ? [] : [item]
    }
    case 'slice':
      return Array.isArray(value) ? (value.slice(step.from, step.to) as Json[]) : []
    case 'all':
      return children(value)
    case 'deep':
      return deep(value)
    case 'filter':
      return (Array.isArray(value) ? (value as Json[]) : []).filter(step.test)
  }
}

function named(value: Json, name: string): readonly Json[] {
  if (!isObject(value) || !Object.hasOwn(value, name)) return []
  const found = value[name]
  return found === undefined ? [] : [found]
}

function children(value: Json): readonly Json[] {
  if (Array.isArray(value)) return value as readonly Json[]
  return isObject(value) ? (Object.values(value) as readonly Json[]) : []
}

function deep(value: Json): readonly Json[] {
  const found: Json[] = [value]
  for (let at = 0; at < found.length && found.length < most; at++) {
    found.push(...children(found[at] as Json).slice(0, most - found.length))
  }
  return found
}
