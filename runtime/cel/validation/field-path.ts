/** The path that a rule shows its finding at: `.spec.labels['a.b']`, checked against the schema. */
import { isObject } from '../../kernel/values/json.ts'
import type { SchemaNode } from '../schema/json-schema.ts'

const step = /\.([^.[\]]+)|\['((?:[^'\\]|\\.)*)'\]/y
const escapes: Readonly<Record<string, string | undefined>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  "'": "'",
  '\\': '\\',
}

/** The path as findings write it (`spec.labels[a.b]`), or undefined for one that leads nowhere in the schema. */
export function resolveFieldPath(text: string, node: SchemaNode): string | undefined {
  let [at, path, here] = [0, '', node]
  while (at < text.length) {
    step.lastIndex = at
    const found = step.exec(text)
    const name = found?.[1] ?? unescaped(found?.[2])
    if (found === null || name === undefined) return undefined
    const field = here.properties?.get(name)
    const next = field ?? (here.properties === undefined ? here.additionalProperties : undefined)
    if (next === undefined) return undefined
    path += field === undefined ? `[${name}]` : `${path === '' ? '' : '.'}${name}`
    here = next
    at = step.lastIndex
  }
  return path === '' ? undefined : path
}

/** The value at such a path. */
export function valueAtField(value: unknown, path: string): unknown {
  let here = value
  for (const [, key, name = key] of path.matchAll(/\[([^\]]*)\]|([^.[\]]+)/g)) {
    if (name === undefined || !isObject(here) || !Object.hasOwn(here, name)) return undefined
    here = here[name]
  }
  return here
}

function unescaped(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  let [out, valid] = ['', true]
  for (let at = 0; at < text.length; at++) {
    if (text[at] !== '\\') {
      out += text[at]
      continue
    }
    const meant = escapes[text[++at] ?? '']
    valid &&= meant !== undefined
    out += meant ?? ''
  }
  return valid ? out : undefined
}
